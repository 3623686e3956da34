import { describe, expect, it } from 'vitest';
import { Clusters, DatabaseRoles, Gateways, GrpcRoutes } from '../../../lib/controllers/control-plane/kinds.ts';
import { GATEWAY_NAME, gatewayNamespace } from '../../../lib/controllers/control-plane/names.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { CustomResourceDefinitions, Deployments, Namespaces } from '../../../lib/core/resource-type.ts';
import {
  type ControlPlaneWorld,
  clientOf,
  conditionOf,
  controlPlaneWorld,
  createDatabase,
  createGateway,
  find,
  leftovers,
  passOf,
  phaseOf,
  runningGateway,
  settle,
  shown,
  workerWith,
} from './control-plane-world.ts';

const ACCOUNT = { server: 'http://identity.test', realm: 'master', clientId: 'evenkeel' };
const PERMITTED = {
  identityAccount: ACCOUNT,
  realms: [
    { namespaces: ['team-a'], realms: ['shop'], redirectHosts: ['gw.example.org', '*.apps.example.org'] },
    { namespaces: ['team-b'], realms: ['other'], redirectHosts: ['*.b.example.org'] },
  ],
  routes: [
    { namespaces: ['team-a'], hosts: ['edge.example.org', '*.apps.example.org'] },
    { namespaces: ['team-b', 'team-c'], hosts: ['*.b.example.org'] },
  ],
};
const NO_ROUTE = { enabled: false };

async function permittedWorld(settings: object = PERMITTED): Promise<ControlPlaneWorld> {
  const control = await controlPlaneWorld({ settings });
  await createDatabase(control);
  await settle(control);
  return control;
}

async function settled(control: ControlPlaneWorld, spec: object): Promise<KubeObject> {
  const gateway = await createGateway(control, spec);
  await settle(control);
  return await control.world.read(Gateways, gateway);
}

function routeOf(control: ControlPlaneWorld, { metadata }: KubeObject) {
  return find(control, { type: GrpcRoutes, namespace: gatewayNamespace(metadata.uid), name: GATEWAY_NAME });
}

const hostsOf = (route: KubeObject | undefined) => (route?.spec as { hostnames?: string[] } | undefined)?.hostnames;
const realmClients = ({ keycloak }: ControlPlaneWorld) =>
  [...keycloak.realms.values()].flatMap((realm) => [...realm.clients.values()]);

describe('the realms that a namespace may ask for', () => {
  it.each([
    ['the realm of the account', 'master', PERMITTED],
    [
      'the realm of the account, which the settings name by mistake',
      'master',
      {
        ...PERMITTED,
        realms: [{ namespaces: ['*'], realms: ['master'], redirectHosts: ['gw.example.org'] }],
      },
    ],
    ['the realm of another namespace', 'other', PERMITTED],
    ['a realm that nobody names', 'nowhere', PERMITTED],
    ['a realm of a name that begins alike', 'shop2', PERMITTED],
    ['any realm without a permission in the settings', 'shop', { identityAccount: ACCOUNT, realms: [], routes: [] }],
  ])(
    'R-3.8 a Gateway reports RealmNotPermitted, and nothing is created, when it asks for %s',
    async (_, realm, settings) => {
      const control = await permittedWorld(settings);
      control.keycloak.requests.length = 0;
      const gateway = await settled(control, { route: NO_ROUTE, identity: { realm } });
      expect(shown(gateway)).toMatchObject({
        IdentityReady: 'False RealmNotPermitted',
        ResourcesApplied: 'False WaitingForIdentity',
        Ready: 'False RealmNotPermitted',
      });
      expect(conditionOf(gateway, 'IdentityReady')?.message).toContain(realm);
      expect(phaseOf(gateway)).toBe('Pending');
      expect(realmClients(control)).toEqual([]);
      expect(control.keycloak.requests).toEqual([]);
      expect(await leftovers(control)).toHaveLength(4);
    },
  );

  it.each(['Master', 'MASTER'])(
    'R-3.8 the realm of the account is refused when its name is written as %s',
    async (realm) => {
      const realms = [{ namespaces: ['*'], realms: [realm], redirectHosts: ['*.example.org'] }];
      const control = await permittedWorld({ ...PERMITTED, realms });
      const gateway = await settled(control, { route: NO_ROUTE, identity: { realm } });
      expect(shown(gateway).IdentityReady).toBe('False RealmNotPermitted');
    },
  );

  it('R-3.8 a Gateway gets its client when its namespace may have the realm and the redirect hosts', async () => {
    const control = await permittedWorld();
    const gateway = await settled(control, {
      serverDnsNames: ['gw.example.org', 'x.apps.example.org'],
      route: NO_ROUTE,
    });
    expect(shown(gateway).IdentityReady).toBe('True ClientReady');
    expect(clientOf(control, gateway.metadata.uid)?.redirectUris).toEqual([
      'https://gw.example.org/*',
      'https://x.apps.example.org/*',
    ]);
  });
});

describe('the redirect hosts that a namespace may ask for', () => {
  it.each([
    ['a host that nobody names', { serverDnsNames: ['login.example.com'], route: NO_ROUTE }],
    ['the suffix itself', { serverDnsNames: ['apps.example.org'], route: NO_ROUTE }],
    ['a host that ends alike', { serverDnsNames: ['evilapps.example.org'], route: NO_ROUTE }],
    ['a host of another namespace', { serverDnsNames: ['x.b.example.org'], route: NO_ROUTE }],
    ['the host of a route that is no redirect host', { serverDnsNames: [], route: { host: 'edge.example.org' } }],
  ])(
    'R-3.8 a Gateway reports RedirectHostNotPermitted, and no client is created, when it asks for %s',
    async (_, hosts) => {
      const control = await permittedWorld();
      const gateway = await settled(control, hosts);
      expect(shown(gateway)).toMatchObject({ IdentityReady: 'False RedirectHostNotPermitted' });
      expect(realmClients(control)).toEqual([]);
      expect(await leftovers(control)).toHaveLength(4);
    },
  );

  it('R-3.8 a client gets no new redirect host, and keeps those that it has, when one is not permitted', async () => {
    const control = await permittedWorld();
    const serverDnsNames = ['gw.example.org', 'x.apps.example.org'];
    const gateway = await settled(control, { serverDnsNames, route: NO_ROUTE });
    await control.world.edit(Gateways, gateway, { spec: { serverDnsNames: ['gw.example.org', 'login.example.com'] } });
    await settle(control);
    expect(shown(await control.world.read(Gateways, gateway)).IdentityReady).toBe('False RedirectHostNotPermitted');
    expect(clientOf(control, gateway.metadata.uid)?.redirectUris).toEqual(['https://gw.example.org/*']);
  });
});

describe('the route hosts that a namespace may ask for', () => {
  it.each(['nobody.example.com', 'x.b.example.org', 'apps.example.org', 'xedge.example.org'])(
    'R-3.8 a Gateway reports HostNotPermitted, and has no route, when it asks for %s',
    async (host) => {
      const control = await permittedWorld();
      const gateway = await settled(control, { route: { host }, identity: null });
      expect(shown(gateway)).toMatchObject({
        ResourcesApplied: 'False HostNotPermitted',
        Available: 'True ReplicasReady',
      });
      expect(await routeOf(control, gateway)).toBeUndefined();
      expect((gateway.status as { address?: string }).address).not.toBe(host);
    },
  );

  it('R-3.8 a route is removed when its host is changed to one that is not permitted, and created when it is changed back', async () => {
    const control = await permittedWorld();
    const gateway = await settled(control, { identity: null });
    expect(hostsOf(await routeOf(control, gateway))).toEqual(['edge.example.org']);
    await control.world.edit(Gateways, gateway, { spec: { route: { host: 'nobody.example.com' } } });
    await settle(control);
    expect(await routeOf(control, gateway)).toBeUndefined();
    await control.world.edit(Gateways, gateway, { spec: { route: { host: 'edge.example.org' } } });
    await settle(control);
    expect(hostsOf(await routeOf(control, gateway))).toEqual(['edge.example.org']);
    expect(shown(await control.world.read(Gateways, gateway)).Ready).toBe('True AllSatisfied');
  });

  it('R-3.8 no host is permitted when the settings name no permission', async () => {
    const control = await permittedWorld({ realms: [], routes: [] });
    const gateway = await settled(control, { identity: null });
    expect(shown(gateway).ResourcesApplied).toBe('False HostNotPermitted');
    expect(await routeOf(control, gateway)).toBeUndefined();
  });
});

describe('hosts that name no public server', () => {
  const HOSTS = ['169.254.169.254', '127.1', '0x7f.1', 'localhost', 'gateway.team-a.svc', 'a.b.svc.cluster.local'];
  const everything = {
    identityAccount: ACCOUNT,
    realms: [{ namespaces: ['*'], realms: ['shop'], redirectHosts: HOSTS }],
    routes: [{ namespaces: ['*'], hosts: HOSTS }],
  };
  it.each(HOSTS)('R-3.8 admission refuses %s as the host of a route and as a redirect host', async (host) => {
    const control = await permittedWorld(everything);
    await expect(createGateway(control, { identity: null, route: { host } })).rejects.toThrow(/422/);
    await expect(createGateway(control, { serverDnsNames: [host], route: NO_ROUTE })).rejects.toThrow(/422/);
  });

  it.each(HOSTS)('R-3.8 %s is not permitted by any settings when admission did not refuse it', async (host) => {
    const control = await controlPlaneWorld({ settings: everything, withoutRules: true });
    await createDatabase(control);
    await settle(control);
    const routed = await settled(control, { identity: null, route: { host } });
    expect(shown(routed)).toMatchObject({
      ResourcesApplied: 'False HostNotPermitted',
      Available: 'True ReplicasReady',
    });
    expect(await routeOf(control, routed)).toBeUndefined();
    const redirected = await createGateway(control, { serverDnsNames: [host], route: NO_ROUTE }, 'redirected');
    await settle(control);
    expect(shown(await control.world.read(Gateways, redirected)).IdentityReady).toBe('False RedirectHostNotPermitted');
    expect(realmClients(control)).toEqual([]);
  });

  it('R-3.8 a cluster-local server name without a client is admitted and served', async () => {
    const control = await permittedWorld(everything);
    const gateway = await settled(control, { serverDnsNames: ['gateway.team-a.svc'], identity: null, route: NO_ROUTE });
    expect(shown(gateway).Ready).toBe('True AllSatisfied');
  });
});

describe('a host that two Gateways ask for', () => {
  const other = async (control: ControlPlaneWorld, namespace: string, spec: object) => {
    await control.world.create(Namespaces, { metadata: { name: namespace } });
    const elsewhere = { ...control, namespace };
    await createDatabase(elsewhere);
    const gateway = await createGateway(elsewhere, spec);
    return gateway;
  };
  const asked = { identity: null, route: { host: 'one.b.example.org' } };
  const settings = { ...PERMITTED, routes: [{ namespaces: ['*'], hosts: ['*.b.example.org'] }] };

  it('R-3.8 the older Gateway holds the host, the other one reports HostConflict and gets the host when the first is gone', async () => {
    const control = await permittedWorld(settings);
    const first = await settled(control, asked);
    await control.world.clock.advance(5_000);
    const second = await other(control, 'team-b', asked);
    await settle(control);
    expect(shown(await control.world.read(Gateways, first)).Ready).toBe('True AllSatisfied');
    const held = await control.world.read(Gateways, second);
    expect(shown(held)).toMatchObject({ ResourcesApplied: 'False HostConflict', Available: 'True ReplicasReady' });
    expect(conditionOf(held, 'ResourcesApplied')?.message).not.toContain('team-a');
    expect(await routeOf(control, held)).toBeUndefined();
    await control.world.remove(Gateways, first);
    await settle(control);
    expect(shown(await control.world.read(Gateways, second)).Ready).toBe('True AllSatisfied');
    expect(hostsOf(await routeOf(control, second))).toEqual(['one.b.example.org']);
  });

  it('R-3.8 the smaller UID holds the host when both Gateways are from the same second', async () => {
    const control = await permittedWorld(settings);
    const gateways = [await createGateway(control, asked, 'first'), await createGateway(control, asked, 'second')];
    await settle(control);
    const [holder, loser] = gateways.sort((left, right) => (left.metadata.uid < right.metadata.uid ? -1 : 1));
    expect(hostsOf(await routeOf(control, holder!))).toEqual(['one.b.example.org']);
    expect(await routeOf(control, loser!)).toBeUndefined();
    expect(shown(await control.world.read(Gateways, loser!)).ResourcesApplied).toBe('False HostConflict');
  });

  it('R-3.8 the younger Gateway removes its route before the older one gets the host that it asks for now', async () => {
    const control = await permittedWorld(settings);
    const older = await settled(control, { identity: null, route: NO_ROUTE });
    await control.world.clock.advance(5_000);
    const younger = await other(control, 'team-b', asked);
    await settle(control);
    await control.world.edit(Gateways, older, { spec: { route: { ...asked.route, enabled: true } } });
    await passOf(control, Gateways, older);
    expect(await routeOf(control, older)).toBeUndefined();
    expect(shown(await control.world.read(Gateways, older)).ResourcesApplied).toBe('False HostConflict');
    await settle(control);
    expect(hostsOf(await routeOf(control, older))).toEqual(['one.b.example.org']);
    expect(await routeOf(control, younger)).toBeUndefined();
    expect(shown(await control.world.read(Gateways, younger)).ResourcesApplied).toBe('False HostConflict');
  });

  it.each([
    ['another host', { host: 'moved.b.example.org', enabled: true }],
    ['no route', NO_ROUTE],
    ['a host that is not permitted', { host: 'moved.example.com', enabled: true }],
  ])(
    'R-3.8 a Gateway gets no route of a host while another route has the host and its owner asks for %s',
    async (_, route) => {
      const control = await permittedWorld(settings);
      const first = await settled(control, asked);
      const refusal = control.world.server.inject({
        match: { verb: 'patch', resource: 'grpcroutes' },
        fault: { status: 403, message: 'admission webhook "no.example.org" denied the request: no' },
      });
      const kept = control.world.server.inject({
        match: { verb: 'delete', resource: 'grpcroutes' },
        fault: { status: 403, message: 'admission webhook "no.example.org" denied the request: no' },
      });
      await control.world.edit(Gateways, first, { spec: { route } });
      const second = await createGateway(control, asked, 'second');
      await settle(control);
      expect(hostsOf(await routeOf(control, first))).toEqual(['one.b.example.org']);
      expect(await routeOf(control, second)).toBeUndefined();
      expect(shown(await control.world.read(Gateways, second)).ResourcesApplied).toBe('False HostConflict');
      refusal.remove();
      kept.remove();
      await control.world.clock.advance(60_000);
      await settle(control);
      expect(hostsOf(await routeOf(control, first)) ?? []).not.toContain('one.b.example.org');
      expect(hostsOf(await routeOf(control, second))).toEqual(['one.b.example.org']);
    },
  );

  it('R-3.8 a route from another source holds no host, with any labels', async () => {
    const control = await permittedWorld(settings);
    await control.world.create(GrpcRoutes, {
      metadata: { namespace: 'team-a', name: GATEWAY_NAME, labels: { 'app.kubernetes.io/managed-by': 'evenkeel' } },
      spec: { hostnames: ['one.b.example.org'] },
    });
    const gateway = await settled(control, asked);
    expect(hostsOf(await routeOf(control, gateway))).toEqual(['one.b.example.org']);
  });

  it.each(['holder', 'other'])(
    'R-3.8 only the Gateway with the smaller UID creates a route when both are from the same second and the %s has its pass first',
    async (order) => {
      const control = await permittedWorld(settings);
      const off = { identity: null, route: NO_ROUTE };
      const gateways = [await createGateway(control, off, 'first'), await createGateway(control, off, 'second')];
      await settle(control);
      const [holder, loser] = gateways.sort((left, right) => (left.metadata.uid < right.metadata.uid ? -1 : 1));
      for (const gateway of gateways) {
        await control.world.edit(Gateways, gateway, { spec: { route: { ...asked.route, enabled: true } } });
      }
      for (const gateway of order === 'holder' ? [holder!, loser!] : [loser!, holder!]) {
        await passOf(control, Gateways, gateway);
      }
      expect(await routeOf(control, loser!)).toBeUndefined();
      expect(hostsOf(await routeOf(control, holder!))).toEqual(['one.b.example.org']);
    },
  );

  it.each([
    ['Gateway', Gateways],
    ['Deployment', Deployments],
  ] as const)(
    'R-3.8 a Gateway gets its host when the older one is being deleted, has no route, and waits for a finalizer of its %s',
    async (_, held) => {
      const control = await permittedWorld(settings);
      const first = await settled(control, asked);
      const name = { namespace: gatewayNamespace(first.metadata.uid), name: GATEWAY_NAME };
      const object = held === Gateways ? first : await control.user.get(Deployments, name);
      const { finalizers = [] } = (await control.world.read(held, object)).metadata;
      await control.world.edit(held, object, { metadata: { finalizers: [...finalizers, 'example.org/held'] } });
      await control.world.clock.advance(5_000);
      const second = await other(control, 'team-b', asked);
      await settle(control);
      expect(shown(await control.world.read(Gateways, second)).ResourcesApplied).toBe('False HostConflict');
      await control.world.remove(Gateways, first);
      await settle(control);
      expect((await control.world.read(Gateways, first)).metadata.deletionTimestamp).toBeDefined();
      expect(hostsOf(await routeOf(control, second))).toEqual(['one.b.example.org']);
    },
  );

  const withClients = {
    ...settings,
    realms: [{ namespaces: ['*'], realms: ['shop'], redirectHosts: ['*.b.example.org'] }],
  };
  const withClient = { route: { ...asked.route, enabled: true }, serverDnsNames: ['own.b.example.org'] };

  it.each<[string, object]>([
    ['as its route', {}],
    [
      'as a server name, and has no route',
      { route: NO_ROUTE, serverDnsNames: ['own.b.example.org', 'one.b.example.org'] },
    ],
    ['as both', { serverDnsNames: ['one.b.example.org', 'own.b.example.org'] }],
  ])(
    'R-3.8 the client of a Gateway has no redirect to a host that an older Gateway holds when it asks for it %s',
    async (_, how) => {
      const control = await permittedWorld(withClients);
      const first = await settled(control, withClient);
      await control.world.clock.advance(5_000);
      const second = await other(control, 'team-b', { ...withClient, ...how });
      await settle(control);
      const redirects = (gateway: KubeObject) => clientOf(control, gateway.metadata.uid)?.redirectUris;
      expect(redirects(first)).toEqual(['https://one.b.example.org/*', 'https://own.b.example.org/*']);
      expect(redirects(second)).toEqual(['https://own.b.example.org/*']);
      const told = conditionOf(await control.world.read(Gateways, second), 'IdentityReady');
      expect(told).toMatchObject({ status: 'True', message: expect.stringContaining('one.b.example.org') });
      await control.world.remove(Gateways, first);
      await settle(control);
      expect(redirects(second)).toEqual(['https://one.b.example.org/*', 'https://own.b.example.org/*']);
    },
  );

  it('R-3.8 a redirect to the host is removed when an older Gateway starts to ask for a route of it', async () => {
    const control = await permittedWorld(withClients);
    const older = await settled(control, { ...asked, route: NO_ROUTE });
    await control.world.clock.advance(5_000);
    const younger = await other(control, 'team-b', withClient);
    await settle(control);
    const redirects = () => clientOf(control, younger.metadata.uid)?.redirectUris;
    expect(redirects()).toContain('https://one.b.example.org/*');
    await control.world.edit(Gateways, older, { spec: { route: withClient.route } });
    await settle(control);
    expect(redirects()).toEqual(['https://own.b.example.org/*']);
  });

  const asName = { route: NO_ROUTE, serverDnsNames: ['one.b.example.org', 'own.b.example.org'] };
  const both = ['https://one.b.example.org/*', 'https://own.b.example.org/*'];
  /** A Gateway with a route, and one that names its host; then the permission for the route is taken away. */
  const withStandingRoute = async (older: 'routed' | 'named') => {
    const control = await permittedWorld(withClients);
    const make = {
      routed: () => createGateway(control, asked, 'routed'),
      named: () => other(control, 'team-b', asName),
    };
    const first = await make[older]();
    await settle(control);
    await control.world.clock.advance(5_000);
    const second = await make[older === 'routed' ? 'named' : 'routed']();
    await settle(control);
    const [routed, named] = older === 'routed' ? [first, second] : [second, first];
    const withdrawn = [{ namespaces: ['team-b'], hosts: ['*.b.example.org'] }];
    const runner = workerWith(control, { ...withClients, routes: withdrawn });
    await settle(control, runner);
    expect(shown(await control.world.read(Gateways, routed)).ResourcesApplied).toBe('False HostNotPermitted');
    expect(hostsOf(await routeOf(control, routed))).toEqual(['one.b.example.org']);
    return { control, routed, named, runner, redirects: () => clientOf(control, named.metadata.uid)?.redirectUris };
  };

  it('R-3.8 a client has no redirect to a host while an older Gateway keeps a route of it that is not permitted any more', async () => {
    const { control, routed, named, runner, redirects } = await withStandingRoute('routed');
    expect(redirects()).toEqual(['https://own.b.example.org/*']);
    const told = conditionOf(await control.world.read(Gateways, named), 'IdentityReady');
    expect(told).toMatchObject({ status: 'True', message: expect.stringContaining('one.b.example.org') });
    await control.world.remove(Gateways, routed);
    await settle(control, runner);
    expect(redirects()).toEqual(both);
  });

  it('R-3.8 a client keeps the redirect to a host when a younger Gateway has a route of it', async () => {
    const { redirects } = await withStandingRoute('named');
    expect(redirects()).toEqual(both);
  });

  it('R-3.8 a client has no redirect to a host while a Gateway that is gone has left a route of it', async () => {
    const control = await permittedWorld(withClients);
    const gone = gatewayNamespace('5f4c2a52-0000-4000-8000-000000000000');
    await control.world.create(Namespaces, { metadata: { name: gone } });
    const left = await control.world.create(GrpcRoutes, {
      metadata: { namespace: gone, name: GATEWAY_NAME, labels: { 'app.kubernetes.io/managed-by': 'evenkeel' } },
      spec: { hostnames: ['one.b.example.org'] },
    });
    const gateway = await settled(control, asName);
    const redirects = () => clientOf(control, gateway.metadata.uid)?.redirectUris;
    expect(redirects()).toEqual(['https://own.b.example.org/*']);
    await control.world.remove(GrpcRoutes, left);
    await settle(control);
    expect(redirects()).toEqual(both);
  });

  it('R-3.8 a client has its redirect hosts when the Gateway asks for no route and GRPCRoute is not installed', async () => {
    const control = await permittedWorld(withClients);
    const definition = { namespace: '', name: 'grpcroutes.gateway.networking.k8s.io' };
    await control.world.remove(
      CustomResourceDefinitions,
      await control.world.user.get(CustomResourceDefinitions, definition),
    );
    const gateway = await settled(control, { ...withClient, route: NO_ROUTE });
    expect(shown(gateway).Ready).toBe('True AllSatisfied');
    expect(clientOf(control, gateway.metadata.uid)?.redirectUris).toEqual(['https://own.b.example.org/*']);
  });

  const unread = { status: 503, message: 'no' };
  const forbidden = { status: 403, message: 'no', reason: 'Forbidden' };
  it.each<[string, string, { status: number; message: string; reason?: string }, string]>([
    ['gateways', 'fails', unread, 'Unknown RequestFailed'],
    ['gateways', 'is forbidden', forbidden, 'Unknown AccessDenied'],
    ['grpcroutes', 'fails', unread, 'Unknown RequestFailed'],
    ['grpcroutes', 'is forbidden', forbidden, 'Unknown AccessDenied'],
  ])('R-3.8 R-1.17 the client is not changed when the list of all %s %s', async (resource, _, fault, shows) => {
    const control = await permittedWorld(withClients);
    const gateway = await settled(control, withClient);
    const before = structuredClone(clientOf(control, gateway.metadata.uid));
    control.world.server.inject({ match: { verb: 'list', resource }, fault });
    await control.world.edit(Gateways, gateway, { spec: { serverDnsNames: ['new.b.example.org'] } });
    await passOf(control, Gateways, gateway);
    expect(clientOf(control, gateway.metadata.uid)).toEqual(before);
    expect(shown(await control.world.read(Gateways, gateway)).IdentityReady).toBe(shows);
  });

  it.each([
    ['by its name when it is of the same namespace', 'team-a', 'Gateway edge, which is older, holds'],
    ['as one of another namespace', 'team-b', 'A Gateway of another namespace, which is older, holds'],
    ['as one of another namespace when the names are alike', 'team-c', 'A Gateway of another namespace, which'],
  ])('R-3.8 HostConflict shows the Gateway that holds the host %s', async (_, namespace, text) => {
    const control = await permittedWorld(settings);
    await settled(control, asked);
    await control.world.clock.advance(5_000);
    const second =
      namespace === 'team-a' ? await createGateway(control, asked, 'second') : await other(control, namespace, asked);
    await settle(control);
    const message = conditionOf(await control.world.read(Gateways, second), 'ResourcesApplied')?.message ?? '';
    expect(message).toContain(text);
    if (namespace !== 'team-a') expect(message).not.toMatch(/team-a|edge/);
  });

  it.each([
    ['by its name when it is of the same namespace', 'team-a', 'Gateway second still has'],
    ['as one of another namespace', 'team-b', 'A Gateway of another namespace still has'],
  ])('R-3.8 HostConflict shows the Gateway whose route still has the host %s', async (_, namespace, text) => {
    const control = await permittedWorld(settings);
    const older = await settled(control, { identity: null, route: NO_ROUTE });
    await control.world.clock.advance(5_000);
    if (namespace === 'team-a') await createGateway(control, asked, 'second');
    else await other(control, namespace, asked);
    await settle(control);
    await control.world.edit(Gateways, older, { spec: { route: { ...asked.route, enabled: true } } });
    await passOf(control, Gateways, older);
    expect(conditionOf(await control.world.read(Gateways, older), 'ResourcesApplied')?.message).toContain(text);
  });

  it('R-3.8 an older Gateway without the permission for the host delays nobody', async () => {
    const control = await permittedWorld();
    const older = await settled(control, asked);
    expect(shown(older).ResourcesApplied).toBe('False HostNotPermitted');
    await control.world.clock.advance(5_000);
    const second = await other(control, 'team-b', asked);
    await settle(control);
    expect(shown(await control.world.read(Gateways, second)).Ready).toBe('True AllSatisfied');
  });
});

describe('Gateways from before a permission was taken away', () => {
  const none = { identityAccount: ACCOUNT, realms: [], routes: [] };
  const provisioned = async () => {
    const control = await controlPlaneWorld({ settings: PERMITTED });
    const { gateway } = await runningGateway(control, { gateway: { route: { host: 'x.apps.example.org' } } });
    expect(shown(gateway).Ready).toBe('True AllSatisfied');
    return { control, gateway, runner: workerWith(control, none) };
  };

  it('R-3.8 Gateways keep and repair client, route and workload, and report what is not permitted', async () => {
    const { control, gateway, runner } = await provisioned();
    const client = structuredClone(clientOf(control, gateway.metadata.uid));
    await settle(control, runner);
    const told = await control.world.read(Gateways, gateway);
    expect(shown(told)).toMatchObject({
      IdentityReady: 'False RealmNotPermitted',
      ResourcesApplied: 'False HostNotPermitted',
      Available: 'True ReplicasReady',
      Ready: 'False RealmNotPermitted',
    });
    expect(phaseOf(told)).toBe('Running');
    expect(told.status).toMatchObject({ address: 'x.apps.example.org', identity: { realm: 'shop' } });
    expect(clientOf(control, gateway.metadata.uid)).toEqual(client);
    const route = (await routeOf(control, gateway))!;
    expect(hostsOf(route)).toEqual(['x.apps.example.org']);
    await control.world.edit(GrpcRoutes, route, { spec: { parentRefs: [{ namespace: 'elsewhere', name: 'theirs' }] } });
    const name = { namespace: gatewayNamespace(gateway.metadata.uid), name: GATEWAY_NAME };
    await control.world.remove(Deployments, await control.user.get(Deployments, name));
    await settle(control, runner);
    expect((await routeOf(control, gateway))?.spec).toMatchObject({ parentRefs: [{ name: 'public' }] });
    expect((await control.user.get(Deployments, name)).metadata.uid).toBeDefined();
  });

  it('R-3.8 Gateways do not create again what somebody removed', async () => {
    const { control, gateway, runner } = await provisioned();
    control.keycloak.realms.get('shop')!.remove(clientOf(control, gateway.metadata.uid)!.id);
    await control.world.remove(GrpcRoutes, (await routeOf(control, gateway))!);
    await settle(control, runner);
    expect(realmClients(control)).toEqual([]);
    expect(await routeOf(control, gateway)).toBeUndefined();
  });

  it.each(['identity is no longer asked for', 'Gateway is deleted'])(
    'R-3.8 the client in a realm that is not permitted any more is removed when the %s',
    async (change) => {
      const { control, gateway, runner } = await provisioned();
      await settle(control, runner);
      if (change === 'Gateway is deleted') await control.world.remove(Gateways, gateway);
      else await control.world.edit(Gateways, gateway, { spec: { identity: null } });
      await settle(control, runner);
      expect(realmClients(control)).toEqual([]);
    },
  );
});

describe('a refusal while something is waited for', () => {
  const waits: Readonly<Record<string, (control: ControlPlaneWorld) => Promise<unknown>>> = {
    'the database is not there': async () => undefined,
    'the database is not ready': async (control) => {
      control.operators.options = { idle: [Clusters] };
      await createDatabase(control);
    },
    'the realm is not there': async (control) => {
      control.keycloak.realms.delete('shop');
      await createDatabase(control);
    },
    'the role of the database is not there': async (control) => {
      control.operators.options = { idle: [DatabaseRoles] };
      await createDatabase(control);
    },
  };
  const settings = {
    ...PERMITTED,
    realms: [{ namespaces: ['*'], realms: ['shop'], redirectHosts: ['*.example.org', '*.example.com'] }],
  };

  it.each(Object.keys(waits))('R-3.8 a Gateway reports HostNotPermitted when %s', async (wait) => {
    const control = await controlPlaneWorld({ settings });
    await waits[wait]!(control);
    const gateway = await settled(control, { route: { host: 'nobody.example.com' } });
    expect(shown(gateway)).toMatchObject({ ResourcesApplied: 'False HostNotPermitted' });
    expect(await routeOf(control, gateway)).toBeUndefined();
  });

  it.each(Object.keys(waits))('R-3.8 a Gateway reports HostConflict when %s', async (wait) => {
    const control = await controlPlaneWorld({ settings });
    await waits[wait]!(control);
    const first = await settled(control, {});
    await control.world.clock.advance(5_000);
    const asked = (first.spec as { route: object }).route;
    const second = await createGateway(control, { route: asked }, 'second');
    await settle(control);
    expect(shown(await control.world.read(Gateways, second)).ResourcesApplied).toBe('False HostConflict');
    expect(shown(await control.world.read(Gateways, first)).ResourcesApplied).toMatch(/^False WaitingFor/);
    await control.world.remove(Gateways, first);
    await settle(control);
    expect(shown(await control.world.read(Gateways, second)).ResourcesApplied).toMatch(/^False WaitingFor/);
  });
});
