import { beforeEach, describe, expect, it } from 'vitest';
import { checkGateways } from '../../../lib/controllers/control-plane/check-gateways.ts';
import { Gateways } from '../../../lib/controllers/control-plane/kinds.ts';
import { section } from '../../../lib/controllers/control-plane/settings-section.ts';
import { Namespaces } from '../../../lib/core/resource-type.ts';
import { bundledDefinitions } from '../../../lib/deployment/package/manifests.ts';
import { ApiError, type ClusterApi } from '../../../lib/ports/cluster-api.ts';
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

const told = async (controlPlane: object, api: ClusterApi = world.api) => {
  const findings = await checkGateways(section.parse(controlPlane), api);
  return findings.map(({ level, text }) => `${level} ${text}`);
};

describe('checkGateways', () => {
  it('R-3.8 checkGateways lists every Gateway that asks for something that the settings do not permit', async () => {
    expect(await told({ identity: IDENTITY })).toEqual([
      'note Gateway team-a/shop may not have the realm shop',
      'note Gateway team-a/shop may not have the route host shop.example.org',
      'note Gateway team-b/own may not have the realm operators',
    ]);
  });

  it("R-3.8 checkGateways names redirect hosts, and the account's own realm when the settings permit it", async () => {
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

  /** The cluster with another `list`. */
  const listing = (list: ClusterApi['list']): ClusterApi =>
    new Proxy(world.api, {
      get: (api, name) => (name === 'list' ? list : (Reflect.get(api, name) as () => unknown).bind(api)),
    });

  it('R-3.8 checkGateways reads every page of the list', async () => {
    let pages = 0;
    const onePerPage = listing((type, options) => {
      pages += 1;
      return world.api.list(type, { ...options, limit: 1 });
    });
    expect(await told({ identity: IDENTITY }, onePerPage)).toHaveLength(3);
    expect(pages).toBe(3);
    const realms = [{ namespaces: ['*'], realms: ['shop', 'operators'], redirectHosts: ['*.example.org'] }];
    const routes = [{ namespaces: ['*'], hosts: ['*.example.org'] }];
    expect(await told({ identity: { ...IDENTITY, realm: 'other', realms }, routes }, onePerPage)).toEqual([
      'ok the settings permit everything that 3 Gateways ask for',
    ]);
  });

  it('R-3.8 checkGateways returns nothing when listing fails with an API error, and throws any other error', async () => {
    const failing = (error: Error) => listing(() => Promise.reject(error));
    expect(await told({ identity: IDENTITY }, failing(new ApiError('Forbidden', 'no')))).toEqual([]);
    await expect(told({ identity: IDENTITY }, failing(new TypeError('a mistake')))).rejects.toThrow('a mistake');
  });
});
