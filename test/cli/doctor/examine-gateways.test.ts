import { beforeEach, describe, expect, it } from 'vitest';
import { examineGateways } from '../../../cli/doctor/examine-gateways.ts';
import { Gateways } from '../../../lib/controllers/control-plane/kinds.ts';
import { Namespaces } from '../../../lib/core/resource-type.ts';
import { bundledDefinitions } from '../../../lib/deployment/package/manifests.ts';
import { settingsSchema } from '../../../lib/deployment/settings/settings-schema.ts';
import { World } from '../../../lib/testing/world.ts';

const IDENTITY = { server: 'https://id.example.org', realm: 'operators' };
const settingsWith = (controlPlane: object) => settingsSchema.parse({ groups: { 'control-plane': controlPlane } });

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
  const findings = await examineGateways('east', settingsWith(controlPlane), world.api);
  return findings.map(({ level, text }) => `${level} ${text}`);
};

describe('examineGateways', () => {
  it('R-3.8 examineGateways lists every Gateway that asks for what the settings do not name', async () => {
    expect(await told({ identity: IDENTITY })).toEqual([
      'note Gateway team-a/shop may not have the realm shop',
      'note Gateway team-a/shop may not have the route host shop.example.org',
      'note Gateway team-b/own may not have the realm operators',
    ]);
  });

  it('R-3.8 examineGateways names redirect hosts, and the realm of the account whatever the settings permit', async () => {
    const realms = [{ namespaces: ['*'], realms: ['shop', 'operators'], redirectHosts: ['*.shop.example.org'] }];
    const routes = [{ namespaces: ['team-a'], hosts: ['*.example.org'] }];
    expect(await told({ identity: { ...IDENTITY, realms }, routes })).toEqual([
      'note Gateway team-a/shop may not have the redirect hosts shop.example.org',
      'note Gateway team-b/own may not have the realm operators',
    ]);
  });

  it('R-3.8 examineGateways is content when all is permitted, and looks at nothing without a control plane', async () => {
    await world.remove(Gateways, await world.user.get(Gateways, { namespace: 'team-b', name: 'own' }));
    const realms = [{ namespaces: ['team-a'], realms: ['shop'], redirectHosts: ['shop.example.org'] }];
    const routes = [{ namespaces: ['team-a'], hosts: ['shop.example.org'] }];
    expect(await told({ identity: { ...IDENTITY, realms }, routes })).toEqual([
      'ok the settings permit everything that 2 Gateways ask for',
    ]);
    expect(await examineGateways('east', settingsSchema.parse({}), world.api)).toEqual([]);
  });
});
