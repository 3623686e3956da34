import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpTransport } from '../../lib/adapters/kubernetes/http-transport.ts';
import { KubernetesClusterApi } from '../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import {
  Clusters,
  DatabaseRoles,
  Databases,
  Gateways,
  GrpcRoutes,
  ManagedDatabases,
  NetworkPolicies,
  ServiceAccounts,
  Services,
} from '../../lib/controllers/control-plane/kinds.ts';
import { gatewayNamespace } from '../../lib/controllers/control-plane/names.ts';
import type { DesiredObject, JsonObject, KubeObject } from '../../lib/core/kube-object.ts';
import {
  ConfigMaps,
  Deployments,
  kindId,
  Namespaces,
  type ResourceType,
  Secrets,
} from '../../lib/core/resource-type.ts';
import { type ClusterApi, isApiError } from '../../lib/ports/cluster-api.ts';
import {
  type ControlPlaneWorld,
  controlPlaneWorld,
  createDatabase,
  createGateway,
  find,
  gatewayObjects,
  passOf,
  phaseOf,
} from '../controllers/control-plane/control-plane-world.ts';
import { EDITS } from '../controllers/control-plane/drift-edits.ts';
import type { ClusterRequest } from '../e2e/support/test-cluster.ts';
import { until } from '../real-apiserver/until.ts';
import { CONTROL_PLANE_DEFINITIONS, PROVIDER_DEFINITIONS } from '../support/control-plane-definitions.ts';
import { playOperators } from '../support/play-operators.ts';
import { roleManifests } from '../support/role-manifests.ts';
import { type Permission, permissionsOfAccount, shownPermission } from '../support/role-permissions.ts';
import { installDefinition } from './install-definition.ts';
import { type RealCluster, realCluster, toRequest } from './real-cluster.ts';

const USER = 'system:serviceaccount:evenkeel-system:evenkeel-control-plane';
const NAMESPACE = 'default';

let cluster: RealCluster;
let control: ControlPlaneWorld;
let group: ClusterApi;
let relay: ClusterApi;
const transports: HttpTransport[] = [];

beforeAll(async () => {
  cluster = await realCluster();
  for (const definition of [...CONTROL_PLANE_DEFINITIONS, ...PROVIDER_DEFINITIONS]) {
    await installDefinition(cluster.server, definition as DesiredObject);
  }
  const clock = new SystemClock();
  const connect = async (account: 'control-plane' | 'relay') => {
    const transport = new HttpTransport({ connection: await cluster.connection(account) });
    transports.push(transport);
    return transport;
  };
  const transport = await connect('control-plane');
  control = { ...(await controlPlaneWorld({ on: { transport, namespace: NAMESPACE } })), user: cluster.user };
  group = new KubernetesClusterApi({ transport, clock, userAgent: 'evenkeel/test' });
  relay = new KubernetesClusterApi({ transport: await connect('relay'), clock, userAgent: 'evenkeel/test' });
});

afterAll(async () => {
  await Promise.all(transports.map((transport) => transport.close()));
  await cluster[Symbol.asyncDispose]();
});

async function passes(...targets: [ResourceType, KubeObject][]): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    await control.world.clock.advance(5_000);
    for (const [type, object] of targets) await passOf(control, type, object);
    await playOperators(cluster.user);
  }
}

describe('the control-plane group as its own service account', () => {
  it('R-5.12 lives through everything on the shipped roles, none of its requests is forbidden, and all that they permit is needed', async () => {
    const mark = await cluster.mark();
    const database = await createDatabase(control);
    await passes([ManagedDatabases, database]);
    const gateway = await createGateway(control);
    await passes([Gateways, gateway], [ManagedDatabases, database]);
    expect(phaseOf(await cluster.user.get(Gateways, { namespace: NAMESPACE, name: 'edge' }))).toBe('Running');
    for (const object of gatewayObjects(gateway.metadata.uid, database.metadata.uid)) {
      const name = { namespace: object.namespace, name: object.name };
      const patch = EDITS[kindId(object.type)] as JsonObject;
      await cluster.user.patch(object.type, name, { type: 'merge', patch }, { fieldManager: 'test' });
    }
    await cluster.user.patch(
      Clusters,
      clusterOf(await databaseNow()),
      { type: 'merge', patch: EDITS[kindId(Clusters)] as JsonObject },
      { fieldManager: 'test' },
    );
    await passes([Gateways, gateway], [ManagedDatabases, database]);

    // Repeated, because the Event of a repeated transition has a count.
    const deployment = gatewayObjects(gateway.metadata.uid, database.metadata.uid).find(
      ({ type }) => type === Deployments,
    )!;
    for (let repetition = 0; repetition < 2; repetition += 1) {
      const status = { readyReplicas: 1, availableReplicas: 1 };
      const body = { type: 'merge', patch: { status } } as const;
      await cluster.user.patch(Deployments, deployment, body, { fieldManager: 'test', subresource: 'status' });
      await passOf(control, Gateways, gateway);
      await passes([Gateways, gateway]);
    }

    const orphan = await createGateway(control, { identity: null }, 'orphan');
    await passes([Gateways, orphan]);
    await forceAway(orphan);
    const namespace = await cluster.user.get(Namespaces, {
      namespace: '',
      name: gatewayNamespace(orphan.metadata.uid),
    });
    await passOf(control, Namespaces, namespace);
    await control.world.clock.advance(700_000);
    await passOf(control, Namespaces, namespace);

    await remove(Gateways, gateway);
    await until(async () => {
      await passes([Gateways, gateway]);
      return (await find(control, { type: Gateways, namespace: NAMESPACE, name: 'edge' })) === undefined;
    });
    await remove(ManagedDatabases, database);
    await until(async () => {
      await passes([ManagedDatabases, database]);
      return (await find(control, { type: ManagedDatabases, namespace: NAMESPACE, name: 'main' })) === undefined;
    });

    const entries = await cluster.server.auditEntries({ offsetBytes: mark.position });
    const requests = entries.filter(({ user }) => user.username === USER).map(toRequest);
    expect(requests.length).toBeGreaterThan(100);
    expect(requests.filter(({ status }) => status === 403)).toEqual([]);
    const permissions = permissionsOfAccount(roleManifests(['shared', 'control-plane']), 'evenkeel-control-plane');
    expect(requests.filter((request) => !permissions.some((permission) => permits(permission, request)))).toEqual([]);
    const unused = permissions
      .filter(({ role }) => role === 'evenkeel-control-plane')
      .filter((permission) => !requests.some((request) => permits(permission, request)))
      .map(shownPermission);
    // Rights that are used only when a kind is missing, or when somebody removed a database by force.
    const untried = /customresourcedefinitions|list manageddatabases/;
    expect(unused.filter((permission) => !untried.test(permission))).toEqual([]);
  });

  const forbidden: [string, () => Promise<unknown>][] = [
    ['lists Secrets', () => group.list(Secrets)],
    ['lists Namespaces', () => group.list(Namespaces)],
    ['lists Deployments', () => group.list(Deployments)],
    [
      'deletes a Gateway',
      () => group.delete(Gateways, { namespace: NAMESPACE, name: 'x' }, { preconditions: { uid: 'x' } }),
    ],
  ];
  it.each(forbidden)('R-5.12 the API server refuses when it %s', async (_, request) => {
    await expect(request()).rejects.toSatisfy((error) => isApiError(error, 'Forbidden'));
  });

  it('R-5.12 the API server refuses the relay when it lists Secrets for this group alone', async () => {
    const roles = permissionsOfAccount(roleManifests(['shared', 'control-plane']), 'evenkeel-relay');
    expect(roles.filter(({ resource }) => resource === 'secrets')).toEqual([]);
  });

  it.each(
    [
      Gateways,
      ManagedDatabases,
      Namespaces,
      ServiceAccounts,
      ConfigMaps,
      Services,
      NetworkPolicies,
      Deployments,
      GrpcRoutes,
      Clusters,
      Databases,
      DatabaseRoles,
    ].map((type) => [kindId(type), type] as const),
  )('R-5.12 the relay may list and watch %s', async (_, type) => {
    const { resourceVersion } = await relay.list(type, { metadataOnly: true });
    for await (const _event of relay.watch(type, { resourceVersion, timeoutSeconds: 1, metadataOnly: true })) break;
  });
});

function databaseNow(): Promise<KubeObject> {
  return cluster.user.get(ManagedDatabases, { namespace: NAMESPACE, name: 'main' });
}

function clusterOf({ status }: KubeObject): { namespace: string; name: string } {
  const { namespace } = status as { namespace: { name: string } };
  return { namespace: namespace.name, name: 'database' };
}

async function remove(type: ResourceType, { metadata }: KubeObject): Promise<void> {
  const name = { namespace: NAMESPACE, name: metadata.name };
  await cluster.user.delete(type, name, { preconditions: { uid: metadata.uid } });
}

async function forceAway(gateway: KubeObject): Promise<void> {
  const name = { namespace: NAMESPACE, name: gateway.metadata.name };
  const patch = { metadata: { finalizers: null } };
  await cluster.user.patch(Gateways, name, { type: 'merge', patch }, { fieldManager: 'test' });
  await remove(Gateways, gateway);
}

function permits({ verb, resource, name, namespace }: Permission, request: ClusterRequest): boolean {
  return (
    verb === request.verb &&
    resource === request.resource &&
    (name === undefined || name === request.name) &&
    (namespace === undefined || namespace === request.namespace)
  );
}
