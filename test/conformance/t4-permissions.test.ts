import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpTransport } from '../../lib/adapters/kubernetes/http-transport.ts';
import { KubernetesClusterApi } from '../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import {
  PersistentVolumeClaims,
  Pods,
  Services,
  T4ClusterHosts,
  T4Sessions,
  T4Workspaces,
} from '../../lib/controllers/t4/kinds.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import {
  ConfigMaps,
  kindId,
  Namespaces,
  type ResourceType,
  Secrets,
  StorageClasses,
} from '../../lib/core/resource-type.ts';
import { type ClusterApi, isApiError } from '../../lib/ports/cluster-api.ts';
import { hostSpec, SETTINGS } from '../controllers/t4/objects.ts';
import { T4Fixture } from '../controllers/t4/t4-fixture.ts';
import type { ClusterRequest } from '../e2e/support/test-cluster.ts';
import { roleManifests } from '../support/role-manifests.ts';
import { type Permission, permissionsOfAccount, shownPermission } from '../support/role-permissions.ts';
import { type Account, type RealCluster, realCluster, toRequest } from './real-cluster.ts';

const GROUP_USER = 'system:serviceaccount:evenkeel-system:evenkeel-t4';
/**
 * The roles that this test exercises. Other tests exercise the roles for the relay's watches, for the deployment and
 * for the cluster's identity.
 */
const EXERCISED = new Set(['evenkeel-t4', 'evenkeel-t4-storage']);

let cluster: RealCluster;
let groupTransport: HttpTransport;
let group: ClusterApi;
let relay: ClusterApi;
const transports: HttpTransport[] = [];

beforeAll(async () => {
  cluster = await realCluster({}, ['shared', 't4']);
  const connect = async (identity: Account) => {
    const transport = new HttpTransport({ connection: await cluster.connection(identity) });
    transports.push(transport);
    return transport;
  };
  const clock = new SystemClock();
  groupTransport = await connect('t4');
  group = new KubernetesClusterApi({ transport: groupTransport, clock, userAgent: 'evenkeel/test' });
  relay = new KubernetesClusterApi({ transport: await connect('relay'), clock, userAgent: 'evenkeel/test' });
});

afterAll(async () => {
  await Promise.all(transports.map((transport) => transport.close()));
  await cluster[Symbol.asyncDispose]();
});

describe('the t4 group as its own service account', () => {
  it('R-5.12 R-4.4 lives through everything on the shipped roles, none of its requests is forbidden, and all that they permit is needed', async () => {
    const mark = await cluster.mark();
    const t4 = T4Fixture.on(groupTransport, { namespace: 'default', storageClass: 'shared' }, undefined, cluster.user);
    const workspace = await t4.prepare();
    const host = await t4.user.get(T4ClusterHosts, { namespace: 'default', name: 'host' });
    await t4.pass(T4ClusterHosts, host);
    const session = await t4.runningSession();
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ Available: 'True PodReady' });

    // Repairs, a larger claim, a revocation, and at last the deletion of everything.
    const [pod, service] = [await t4.podOf(session), await t4.serviceOf(session)] as [KubeObject, KubeObject];
    await t4.edit(Pods, pod, { metadata: { labels: { 'cluster.t4.dev/session': 'x' } } });
    await t4.edit(Services, service, { spec: { ports: [{ port: 80 }] } });
    await t4.pass(T4Sessions, session);
    await t4.edit(T4Workspaces, workspace, { spec: { size: '11Gi' } });
    await t4.pass(T4Workspaces, workspace);
    // Repeated, because the Event of a repeated transition has a count.
    for (let repetition = 0; repetition < 2; repetition += 1) {
      await t4.edit(T4ClusterHosts, host, { spec: { runtimeProfiles: ['large'] } });
      await t4.pass(T4Sessions, session);
      expect(await t4.podOf(session)).toBeUndefined();
      await t4.edit(T4ClusterHosts, host, { spec: { runtimeProfiles: ['small'] } });
      await t4.pass(T4Sessions, session);
      expect(await t4.podOf(session)).toBeDefined();
    }
    await t4.remove(T4Sessions, session);
    await t4.pass(T4Sessions, session);
    expect(await t4.find(T4Sessions, 'session')).toBeUndefined();
    await t4.remove(T4Workspaces, workspace);
    for (let tries = 0; tries < 200 && (await t4.find(T4Workspaces, 'ws')) !== undefined; tries += 1) {
      await t4.pass(T4Workspaces, workspace);
    }
    expect(await t4.find(T4Workspaces, 'ws')).toBeUndefined();

    const entries = await cluster.server.auditEntries({ offsetBytes: mark.position });
    const requests = entries.filter(({ user }) => user.username === GROUP_USER).map(toRequest);
    expect(requests.length).toBeGreaterThan(50);
    expect(requests.filter(({ status }) => status === 403)).toEqual([]);
    const permissions = permissionsOfAccount(roleManifests(['shared', 't4']), 'evenkeel-t4');
    expect(requests.filter((request) => !permissions.some((permission) => permits(permission, request)))).toEqual([]);
    const unused = permissions
      .filter(({ role }) => EXERCISED.has(role))
      .filter((permission) => !requests.some((request) => permits(permission, request)));
    expect(unused.map(shownPermission)).toEqual([]);
  });

  it.each([
    ['ConfigMap', { configMap: { ...SETTINGS.omp.configMap, name: 'other' } }, 'OMPConfigMapAccessDenied'],
    ['Secret', { secret: { ...SETTINGS.omp.secret, name: 'other' } }, 'OMPSecretAccessDenied'],
  ])(
    'R-5.12 R-4.4 R-1.22 a %s whose name the role does not permit is not read: the session says so, and does not start',
    async (kind, changes, reason) => {
      const { metadata } = await cluster.user.create(
        Namespaces,
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `t4-${kind.toLowerCase()}` } },
        { fieldManager: 'test' },
      );
      const place = { namespace: metadata.name, storageClass: metadata.name };
      const settings = { ...SETTINGS, omp: { ...SETTINGS.omp, ...changes } };
      const t4 = T4Fixture.on(groupTransport, place, settings, cluster.user);
      await t4.prepare();
      const session = await t4.createSession();
      expect(await t4.pass(T4Sessions, session)).toMatchObject({ outcome: 'retry' });
      expect(await t4.shown(T4Sessions, session)).toMatchObject({
        RuntimeConfigured: `Unknown ${reason}`,
        Available: `Unknown ${reason}`,
      });
      expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual([undefined, undefined]);
    },
  );

  const forbidden: [string, () => Promise<unknown>][] = [
    ['lists ConfigMaps', () => group.list(ConfigMaps, { namespace: 'default' })],
    ['lists Secrets', () => group.list(Secrets, { namespace: 'default' })],
    ['lists Secrets of all namespaces', () => group.list(Secrets)],
    ['watches ConfigMaps', () => firstOf(group, ConfigMaps)],
    ['watches Secrets', () => firstOf(group, Secrets)],
    ['reads another ConfigMap', () => group.get(ConfigMaps, { namespace: 'default', name: 'other' })],
    ['reads another Secret', () => group.get(Secrets, { namespace: 'default', name: 'other' })],
    ['lists workspaces', () => group.list(T4Workspaces)],
    ['lists hosts', () => group.list(T4ClusterHosts)],
    ['lists Pods', () => group.list(Pods)],
    ['watches Pods', () => firstOf(group, Pods)],
    [
      'deletes a host',
      () => group.delete(T4ClusterHosts, { namespace: 'default', name: 'x' }, { preconditions: { uid: 'x' } }),
    ],
    [
      'deletes a session',
      () => group.delete(T4Sessions, { namespace: 'default', name: 'x' }, { preconditions: { uid: 'x' } }),
    ],
    ['creates a Secret', () => create(group, Secrets)],
    ['creates a StorageClass', () => create(group, StorageClasses)],
    [
      'patches a host',
      () =>
        group.patch(
          T4ClusterHosts,
          { namespace: 'default', name: 'host' },
          { type: 'merge', patch: { spec: hostSpec('x') } },
          { fieldManager: 'test' },
        ),
    ],
  ];
  it.each(forbidden)('R-5.12 R-4.4 the API server refuses when it %s', async (_, request) => {
    await expect(request()).rejects.toSatisfy((error) => isApiError(error, 'Forbidden'));
  });

  const forbiddenToRelay: [string, () => Promise<unknown>][] = [
    ['lists ConfigMaps', () => relay.list(ConfigMaps)],
    ['lists Secrets', () => relay.list(Secrets)],
    ['watches Secrets', () => firstOf(relay, Secrets)],
    ['reads a ConfigMap', () => relay.get(ConfigMaps, { namespace: 'default', name: 'omp-config' })],
    ['reads a Secret', () => relay.get(Secrets, { namespace: 'default', name: 'omp-credentials' })],
    ['creates a Pod', () => create(relay, Pods)],
    [
      'deletes a claim',
      () => relay.delete(PersistentVolumeClaims, { namespace: 'default', name: 'x' }, { preconditions: { uid: 'x' } }),
    ],
  ];
  it.each(forbiddenToRelay)('R-5.12 R-4.4 the API server refuses the relay when it %s', async (_, request) => {
    await expect(request()).rejects.toSatisfy((error) => isApiError(error, 'Forbidden'));
  });

  it.each(
    [T4ClusterHosts, T4Workspaces, T4Sessions, StorageClasses, PersistentVolumeClaims, Pods, Services].map(
      (type) => [kindId(type), type] as const,
    ),
  )('R-5.12 the relay may list and watch %s', async (_, type) => {
    const { resourceVersion } = await relay.list(type, { metadataOnly: true });
    for await (const _event of relay.watch(type, { resourceVersion, timeoutSeconds: 1, metadataOnly: true })) break;
  });
});

function create(api: ClusterApi, type: ResourceType): Promise<unknown> {
  const metadata = { name: 'x', ...(type.namespaced && { namespace: 'default' }) };
  return api.create(
    type,
    { apiVersion: type.group === '' ? 'v1' : `${type.group}/v1`, kind: type.kind, metadata },
    { fieldManager: 'test' },
  );
}

async function firstOf(api: ClusterApi, type: ResourceType): Promise<void> {
  for await (const _ of api.watch(type, { resourceVersion: '1', timeoutSeconds: 1 })) return;
}

function permits({ verb, resource, name, namespace }: Permission, request: ClusterRequest): boolean {
  return (
    verb === request.verb &&
    resource === request.resource &&
    (name === undefined || name === request.name) &&
    (namespace === undefined || namespace === request.namespace)
  );
}
