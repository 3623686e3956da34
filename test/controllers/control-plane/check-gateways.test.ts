import { beforeEach, describe, expect, it } from 'vitest';
import { checkGateways } from '../../../lib/controllers/control-plane/check-gateways.ts';
import { Gateways } from '../../../lib/controllers/control-plane/kinds.ts';
import { section } from '../../../lib/controllers/control-plane/settings-section.ts';
import { Namespaces } from '../../../lib/core/resource-type.ts';
import { bundledDefinitions } from '../../../lib/deployment/package/manifests.ts';
import { World } from '../../../lib/testing/world.ts';

const IDENTITY = { server: 'https://id.example.org', realm: 'operators' };

let world: World;
beforeEach(async () => {
  world = new World({ controllers: [] });
  await world.install(bundledDefinitions());
  for (const [namespace, name, spec] of [
    ['team-a', 'shop', { route: { host: 'shop.example.org' }, identity: { realm: 'shop' } }],
    ['team-b', 'plain', {}],
    ['team-b', 'own', { serverDnsNames: ['b.example.org'], identity: { realm: 'operators' } }],
  ] as const) {
    if (name !== 'own') await world.create(Namespaces, { metadata: { name: namespace } });
    const whole = { image: 'registry.example/a/b:1', databaseRef: { name: 'main' }, ...spec };
    await world.create(Gateways, { metadata: { namespace, name }, spec: whole });
  }
});

const told = async (controlPlane: object) => {
  const findings = await checkGateways(section.parse(controlPlane), world.api);
  return findings.map(({ level, text }) => `${level} ${text}`);
};

describe('checkGateways', () => {
  it('R-3.8 checkGateways lists every Gateway that asks for what the settings do not name', async () => {
    expect(await told({ identity: IDENTITY })).toEqual([
      'note Gateway team-a/shop may not have the realm shop',
      'note Gateway team-a/shop may not have the route host shop.example.org',
      'note Gateway team-b/own may not have the realm operators',
    ]);
  });

  it('R-3.8 checkGateways names redirect hosts, and the realm of the account whatever the settings permit', async () => {
    const realms = [{ namespaces: ['*'], realms: ['shop', 'operators'], redirectHosts: ['*.shop.example.org'] }];
    const routes = [{ namespaces: ['team-a'], hosts: ['*.example.org'] }];
    expect(await told({ identity: { ...IDENTITY, realms }, routes })).toEqual([
      'note Gateway team-a/shop may not have the redirect hosts shop.example.org',
      'note Gateway team-b/own may not have the realm operators',
    ]);
  });

  it('R-3.8 checkGateways finds nothing wrong when all is permitted', async () => {
    await world.remove(Gateways, await world.user.get(Gateways, { namespace: 'team-b', name: 'own' }));
    const realms = [{ namespaces: ['team-a'], realms: ['shop'], redirectHosts: ['shop.example.org'] }];
    const routes = [{ namespaces: ['team-a'], hosts: ['shop.example.org'] }];
    expect(await told({ identity: { ...IDENTITY, realms }, routes })).toEqual([
      'ok the settings permit everything that 2 Gateways ask for',
    ]);
  });
});
