import { KeycloakIdentityProvider } from '../../../lib/adapters/keycloak/keycloak-identity-provider.ts';
import { KeycloakStandIn } from '../../../lib/adapters/keycloak/stand-in/keycloak-stand-in.ts';
import { controlPlaneControllers } from '../../../lib/controllers/control-plane/control-plane-controllers.ts';
import {
  Clusters,
  DatabaseRoles,
  Databases,
  Gateways,
  GrpcRoutes,
  ManagedDatabases,
  Services,
} from '../../../lib/controllers/control-plane/kinds.ts';
import {
  databaseNamespace,
  databaseObjectName,
  GATEWAY_NAME,
  gatewayNamespace,
  identityClientId,
} from '../../../lib/controllers/control-plane/names.ts';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import type { JsonObject, KubeObject, ObjectMeta } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { ConfigMaps, Deployments, Namespaces, type ResourceType } from '../../../lib/core/resource-type.ts';
import type { ControllerHost } from '../../../lib/testing/simulation/controller-host.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView, Fault, Workload } from '../../../lib/testing/simulation/workload.ts';
import { CONTROL_PLANE_DEFINITIONS, PROVIDER_DEFINITIONS } from '../../support/control-plane-definitions.ts';
import { changeRefusals, drawnRefusals, noRefusals, refusalOnCreation, refuseNothing } from './refusals.ts';

/** The control plane. Controllers of the same engine play CloudNativePG, and the stand-in plays Keycloak. */
const NAMESPACE = 'default';
const REALM = 'shop';
const CREDENTIALS = { realm: 'master', clientId: 'evenkeel', clientSecret: 'secret' };
const SERVER = 'http://identity.test';
const GATEWAYS = ['g0', 'g1'] as const;
const DATABASES = ['d0', 'd1'] as const;
/** Both Gateways may ask for the first host; the last one is not permitted. */
const PERMITTED_HOST = 'edge.example.org';
const HOSTS = [PERMITTED_HOST, PERMITTED_HOST, 'two.example.org', 'edge.example.com'] as const;
const FORGED = 'forged-';

const gatewayNamed = (user: User) => ({ namespace: NAMESPACE, name: user.pick(GATEWAYS) });
const databaseNamed = (user: User) => ({ namespace: NAMESPACE, name: user.pick(DATABASES) });

function gatewaySpec(user: User): JsonObject {
  return {
    image: 'registry.example/hypershell/gateway:1',
    databaseRef: { name: user.pick(DATABASES) },
    replicas: user.number(4),
    route: user.chance(0.6) ? { host: user.pick(HOSTS), enabled: user.chance(0.7) } : { enabled: false },
    ...(user.chance(0.6) && { identity: { realm: REALM, roles: user.chance(0.5) ? ['admin'] : ['admin', 'viewer'] } }),
  };
}

function gatewayEdit(user: User): JsonObject {
  const { replicas = 1, route = null, identity = null } = gatewaySpec(user);
  return { spec: { replicas, route, identity } };
}

function databaseSpec(user: User): JsonObject {
  return {
    provider: 'cnpg',
    engineVersion: '17',
    instances: 1 + user.number(3),
    storage: '10Gi',
    deletionPolicy: user.pick(['Delete', 'Retain']),
    // A restored cluster may have lost objects that its table knows.
    rebuild: true,
  };
}

/** CloudNativePG, as seen from outside: every request is fulfilled at once. */
function operator(name: string, type: ResourceType, status: (object: KubeObject) => JsonObject): Controller {
  return {
    name,
    group: 'sim',
    type,
    owns: [],
    reads: [],
    version: '1',
    reconcile: async (object) => ({ outcome: settled(), status: status(object) }),
  };
}

function clusterStatus({ spec }: KubeObject): JsonObject {
  const { instances = 1 } = spec as { instances?: number };
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const ready = { type: 'Ready', status: 'True', reason: 'ClusterIsReady', message: 'ready', lastTransitionTime };
  return { instances, readyInstances: instances, conditions: [ready] };
}

export function gateways(): Workload {
  let ids = 0;
  const truth = { nowMs: 0 };
  const keycloak = new KeycloakStandIn({
    clock: {
      now: () => truth.nowMs,
      monotonic: () => truth.nowMs,
      sleep: () => Promise.reject(new Error('the stand-in never sleeps')),
    },
    newId: () => `id-${++ids}`,
    credentials: CREDENTIALS,
    realms: [REALM],
    // Its clock does not move.
    tokenLifeSeconds: 1_000_000_000,
  });
  let passwords = 0;
  const harmed: Fault[] = [];
  const refusals = noRefusals();
  const controllers = (host: ControllerHost): readonly Controller[] => {
    const provider = new KeycloakIdentityProvider({
      server: SERVER,
      credentials: CREDENTIALS,
      transport: keycloak,
      clock: host.clock,
    });
    return [
      ...controlPlaneControllers({
        identity: host.reach(provider, 'identity'),
        parentGateway: { namespace: 'edge', name: 'public' },
        realms: [{ namespaces: [NAMESPACE], realms: [REALM], redirectHosts: ['*.example.org', '*.example.com'] }],
        routes: [{ namespaces: [NAMESPACE], hosts: ['*.example.org'] }],
        newPassword: () => `password-${++passwords}`,
        newSeed: () => `seed-${++passwords}`,
      }),
      operator('sim-cluster', Clusters, clusterStatus),
      operator('sim-role', DatabaseRoles, () => ({ applied: true })),
      operator('sim-database', Databases, () => ({ applied: true })),
    ];
  };
  return {
    controllers,
    definitions: [...CONTROL_PLANE_DEFINITIONS, ...PROVIDER_DEFINITIONS],
    standIns: ['deployments'],
    prepare: async (user) => {
      for (const name of DATABASES) {
        await user.put(ManagedDatabases, { metadata: { namespace: NAMESPACE, name }, spec: databaseSpec(user) });
      }
    },
    actions: {
      'writes a gateway': (user) => writeGateway(user),
      'edits a gateway': (user) => user.edit(Gateways, gatewayNamed(user), gatewayEdit(user)),
      'deletes a gateway': (user) => user.remove(Gateways, gatewayNamed(user)),
      'recreates a gateway': (user) =>
        user.replace(Gateways, { metadata: gatewayNamed(user), spec: gatewaySpec(user) }),
      'writes a database': (user) => writeDatabase(user),
      'edits a database': (user) =>
        user.edit(ManagedDatabases, databaseNamed(user), { spec: { instances: 1 + user.number(3) } }),
      'deletes a database': (user) => user.remove(ManagedDatabases, databaseNamed(user)),
      'edits what a gateway owns': (user) => meddle(user, false),
      'deletes what a gateway owns': (user) => meddle(user, true),
      'edits a status': (user) =>
        user.edit(Gateways, gatewayNamed(user), { metadata: { annotations: { note: String(user.number(9)) } } }),
      'forges a client': async (user) => {
        const gateway = await user.get(Gateways, gatewayNamed(user));
        if (gateway !== undefined) forgeClient(keycloak, gateway, `${FORGED}${++ids}`);
      },
      'changes what the cluster refuses': changeRefusals,
      'changes the rights of the account': async (user) => {
        keycloak.rights = user.pick(['manage-clients', 'view-clients', 'query-clients', 'none']);
        if (user.chance(0.5)) keycloak.revokeTokens();
      },
    },
    admission: (request, cluster) => {
      // The users' own objects are in other namespaces.
      const refused = refusalOnCreation(request, cluster, refusals, ({ namespace }) => namespace.startsWith('hs-'));
      return refused === undefined ? { object: request.object } : { refused };
    },
    drawn: () => ({
      ...drawnRefusals(refusals),
      'answers of an account without rights': keycloak.requests.filter(({ status }) => status === 403).length,
    }),
    settle: async (user) => {
      keycloak.rights = 'manage-clients';
      harmed.push(...takeForgedBack(keycloak));
      await refuseNothing(user);
    },
    check: (cluster) => [...harmed, ...check(cluster, keycloak)],
    // A database is kept while a Gateway refers to it.
    waits: ({ kind, metadata }, cluster) =>
      kind === ManagedDatabases.kind &&
      cluster.list(Gateways, NAMESPACE).some(({ spec }) => referred(spec) === metadata.name),
    evidence: (published, seen) => {
      if (published.kind !== Gateways.kind) return undefined;
      const { databaseRef } = published.spec as { databaseRef: { name: string } };
      const database = seen.read(ManagedDatabases, { namespace: NAMESPACE, name: databaseRef.name });
      const isTrue = (type: string) =>
        readConditions(published.status).find((each) => each.type === type)?.status === 'True';
      if (isTrue('DatabaseReady') && (database === undefined || database === 'absent')) {
        // A status that only records the next create keeps the present conditions.
        return isFresh(published) ? 'DatabaseReady is True, and the database was not seen' : undefined;
      }
      return undefined;
    },
    finalized: (target, seen) => {
      if (target.kind !== Gateways.kind) return undefined;
      const namespace = gatewayNamespace(target.metadata.uid);
      for (const [type, name] of [
        [Services, { namespace, name: GATEWAY_NAME }],
        [Deployments, { namespace, name: GATEWAY_NAME }],
        [Namespaces, { namespace: '', name: namespace }],
      ] as const) {
        const found = seen.read(type, name);
        if (found !== 'absent')
          return `${type.kind} was ${found === undefined ? 'not looked at' : 'last seen present'}`;
      }
      const clientId = identityClientId(target.metadata.uid);
      const clients = [...(keycloak.realms.get(REALM)?.clients.values() ?? [])];
      const client = clients.find((each) => each.clientId === clientId && !each.id.startsWith(FORGED));
      return client === undefined ? undefined : 'its client is still there';
    },
  };
}

/**
 * A client under a Gateway's name that has its marks and was not created by its passes. Everybody who can read the
 * marks could make one.
 */
function forgeClient(keycloak: KeycloakStandIn, { metadata }: KubeObject, id: string): void {
  const realm = keycloak.realms.get(REALM);
  const clientId = identityClientId(metadata.uid);
  if (realm === undefined || realm.byClientId(clientId) !== undefined) return;
  const attributes = { 'evenkeel.dev/managed-by': 'evenkeel', 'evenkeel.dev/owner-uid': metadata.uid };
  realm.clients.set(id, {
    id,
    clientId,
    attributes,
    protocolMappers: [],
    defaultClientScopes: [],
    optionalClientScopes: [],
    redirectUris: ['https://theirs.example.org/*'],
  });
  realm.rolesOf(id);
}

/** @returns what was done to the forged clients. */
function takeForgedBack(keycloak: KeycloakStandIn): Fault[] {
  const realm = keycloak.realms.get(REALM);
  const forged = [...(realm?.clients.values() ?? [])].filter(({ id }) => id.startsWith(FORGED));
  for (const { id } of forged) realm?.remove(id);
  return forged
    .filter(({ redirectUris }) => JSON.stringify(redirectUris) !== '["https://theirs.example.org/*"]')
    .map(({ clientId }) => ({ invariant: 'I7', what: `client ${clientId} of somebody else was changed` }));
}

function isFresh({ metadata, status }: KubeObject): boolean {
  return (status as { observedGeneration?: number }).observedGeneration === metadata.generation;
}

async function writeGateway(user: User): Promise<void> {
  const metadata = gatewayNamed(user);
  if ((await user.get(Gateways, metadata)) === undefined)
    await user.put(Gateways, { metadata, spec: gatewaySpec(user) });
  else await user.edit(Gateways, metadata, gatewayEdit(user));
}

async function writeDatabase(user: User): Promise<void> {
  const metadata = databaseNamed(user);
  if ((await user.get(ManagedDatabases, metadata)) !== undefined) return;
  await user.put(ManagedDatabases, { metadata, spec: databaseSpec(user) });
}

/** Objects that are created again after anybody removed them. */
async function meddle(user: User, removes: boolean): Promise<void> {
  const gateway = await user.get(Gateways, gatewayNamed(user));
  if (gateway === undefined) return;
  const name = { namespace: gatewayNamespace(gateway.metadata.uid), name: GATEWAY_NAME };
  const edits: readonly [[ResourceType, JsonObject], ...[ResourceType, JsonObject][]] = [
    [Deployments, { spec: { replicas: 9 } }],
    [ConfigMaps, { data: { DATABASE_HOST: 'elsewhere' } }],
    [Services, { metadata: { annotations: { 'evenkeel.dev/owner-name': 'somebody' } } }],
    [GrpcRoutes, { spec: { hostnames: ['elsewhere.example.org'] } }],
  ];
  const [type, patch] = user.pick(edits);
  if (removes) await user.remove(type, name);
  else await user.edit(type, name, patch);
}

function check(cluster: ClusterView, keycloak: KeycloakStandIn): Fault[] {
  const faults: Fault[] = [];
  const gateways = cluster.list(Gateways, NAMESPACE);
  const databases = cluster.list(ManagedDatabases, NAMESPACE);
  for (const gateway of gateways) faults.push(...gatewayFaults(gateway, gateways, databases, cluster, keycloak));
  for (const { metadata, status } of databases) {
    const isReferenced = gateways.some(({ spec }) => referred(spec) === metadata.name);
    const said = Object.fromEntries(readConditions(status).map((each) => [each.type, each.status]));
    const wanted = metadata.deletionTimestamp === undefined && !wasReleased(metadata, cluster) ? 'True' : 'False';
    if (said.Ready !== wanted || said.InUse !== (isReferenced ? 'True' : 'False')) {
      faults.push(`database ${metadata.name} says ${JSON.stringify(said)}`);
    }
    if (metadata.deletionTimestamp !== undefined && !isReferenced) {
      faults.push(`database ${metadata.name} is still being deleted, and no gateway refers to it`);
    }
  }
  if (cluster.restored) return faults;
  const wanted = new Set(gateways.map(({ metadata }) => gatewayNamespace(metadata.uid)));
  const kept = new Set(databases.map(({ metadata }) => databaseNamespace(metadata.uid)));
  for (const namespace of cluster.list(Namespaces)) {
    const { metadata } = namespace;
    if (ownerUidOf(namespace) !== undefined && !wanted.has(metadata.name) && !kept.has(metadata.name)) {
      faults.push({ invariant: 'I6', what: `namespace ${metadata.name} is left of something that is gone` });
    }
  }
  const clients = [...(keycloak.realms.get(REALM)?.clients.values() ?? [])].map(({ clientId }) => clientId);
  if (new Set(clients).size < clients.length) faults.push('a client was made twice');
  for (const clientId of clients) {
    if (!gateways.some(({ metadata }) => identityClientId(metadata.uid) === clientId)) {
      faults.push({ invariant: 'I6', what: `client ${clientId} is left of a gateway that is gone` });
    }
  }
  return faults;
}

/**
 * A pass that began before a restore may remove our marks from the namespace of a database that was being deleted at
 * that time, and is not any more. No request to the API server can be conditional on two objects. The database reports
 * that the namespace is not ours.
 */
function wasReleased({ uid }: ObjectMeta, cluster: ClusterView): boolean {
  const namespace = cluster.get(Namespaces, { namespace: '', name: databaseNamespace(uid) });
  return cluster.restored && namespace !== undefined && ownerUidOf(namespace) !== uid;
}

function ownerUidOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.['evenkeel.dev/owner-uid'];
}

function gatewayFaults(
  gateway: KubeObject,
  gateways: readonly KubeObject[],
  databases: readonly KubeObject[],
  cluster: ClusterView,
  keycloak: KeycloakStandIn,
): Fault[] {
  const { metadata, spec, status } = gateway;
  if (metadata.deletionTimestamp !== undefined) return [`gateway ${metadata.name} is still being deleted`];
  const database = databases.find((each) => each.metadata.name === referred(spec));
  const ready = readConditions(status).find(({ type }) => type === 'Ready');
  const isWell =
    database !== undefined &&
    database.metadata.deletionTimestamp === undefined &&
    !wasReleased(database.metadata, cluster);
  if (!isWell) {
    return ready?.status === 'False'
      ? []
      : [`gateway ${metadata.name} says Ready ${ready?.status} without its database`];
  }
  const faults: Fault[] = [];
  const refusal = refusalOf(gateway, gateways);
  const isAsExpected = refusal === undefined ? ready?.status === 'True' : ready?.reason === refusal;
  if (!isAsExpected || ready?.observedGeneration !== metadata.generation) {
    faults.push(`gateway ${metadata.name} says ${JSON.stringify(ready)}`);
  }
  const name = { namespace: gatewayNamespace(metadata.uid), name: GATEWAY_NAME };
  const { replicas, route, identity } = spec as { replicas: number; route?: { enabled?: boolean }; identity?: object };
  const deployment = cluster.get(Deployments, name)?.spec as { replicas?: number } | undefined;
  if (deployment?.replicas !== replicas) faults.push(`gateway ${metadata.name} has ${deployment?.replicas} replicas`);
  const hasRoute = cluster.get(GrpcRoutes, name) !== undefined;
  if (hasRoute !== (route !== undefined && route.enabled !== false && refusal === undefined)) {
    faults.push(`gateway ${metadata.name} has ${hasRoute ? 'a' : 'no'} route`);
  }
  const client = keycloak.realms.get(REALM)?.byClientId(identityClientId(metadata.uid));
  const redirects = Array.isArray(client?.redirectUris) ? client.redirectUris : [];
  if (refusal === 'HostConflict' && redirects.includes(`https://${hostOf(spec)}/*`))
    faults.push(`the client of gateway ${metadata.name} has a redirect to the host of another`);
  const hasClient = client !== undefined;
  if (hasClient !== (identity !== undefined))
    faults.push(`gateway ${metadata.name} has ${hasClient ? 'a' : 'no'} client`);
  const beside = { namespace: databaseNamespace(database.metadata.uid), name: databaseObjectName(metadata.uid) };
  if (cluster.get(Databases, beside) === undefined) faults.push(`gateway ${metadata.name} has no Database`);
  return faults;
}

/** Why a Gateway must not have the route that it asks for; undefined when it may, or asks for none. */
function refusalOf({ metadata, spec }: KubeObject, gateways: readonly KubeObject[]): string | undefined {
  const host = hostOf(spec);
  if (host === undefined) return undefined;
  if (!host.endsWith('.example.org')) return 'HostNotPermitted';
  const rivals = gateways.filter(
    (other) => hostOf(other.spec) === host && other.metadata.deletionTimestamp === undefined,
  );
  const [holder] = rivals.map((rival) => rival.metadata).sort(byAge);
  return holder?.uid === metadata.uid ? undefined : 'HostConflict';
}

function hostOf(spec: unknown): string | undefined {
  const { route } = spec as { route?: { host?: string; enabled?: boolean } };
  return route?.enabled === false ? undefined : route?.host;
}

function byAge(left: KubeObject['metadata'], right: KubeObject['metadata']): number {
  const [leftMs, rightMs] = [Date.parse(left.creationTimestamp ?? ''), Date.parse(right.creationTimestamp ?? '')];
  return leftMs === rightMs ? (left.uid < right.uid ? -1 : 1) : leftMs - rightMs;
}

function referred(spec: unknown): string {
  return (spec as { databaseRef: { name: string } }).databaseRef.name;
}
