import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import { PersistentVolumeClaims, T4ClusterHosts, T4Sessions, T4Workspaces } from '../../../lib/controllers/t4/kinds.ts';
import type { T4Settings } from '../../../lib/controllers/t4/settings.ts';
import { t4Controllers } from '../../../lib/controllers/t4/t4-controllers.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, type ResourceType, Secrets, StorageClasses } from '../../../lib/core/resource-type.ts';
import { Registry } from '../../../lib/engine/registry.ts';
import type { StateStore } from '../../../lib/ports/state-store.ts';
import { beforeGet } from './interposed-api.ts';
import { hostSpec, IMAGE, MODELS, SETTINGS, workspaceSpec } from './objects.ts';
import { conditionsOf, type T4Fixture } from './t4-fixture.ts';

/** What breaks, and how: done on a cluster where everything else is as it must be. */
interface Row {
  readonly reason: string;
  readonly how: string;
  /** HostReady, WorkspaceReady, RuntimeConfigured: what the check's place in the order makes of them. */
  readonly shown: readonly [string, string, string];
  readonly settings?: T4Settings;
  breaks?(t4: T4Fixture): Promise<unknown>;
  /** What happens during each pass, immediately before the claim is read for the second time. */
  beforeSecondLook?(t4: T4Fixture): Promise<unknown>;
  /** Undoes that after each pass. */
  afterPass?(t4: T4Fixture): Promise<unknown>;
}

const HOST = 'True HostVerified';
const WORKSPACE = 'True WorkspaceVerified';
const RUNTIME = 'True RuntimeVerified';
const NOT_REACHED = 'Unknown NotEvaluated';

const installation = (reason: string, how: string, settings: T4Settings): Row => ({
  reason,
  how,
  shown: [NOT_REACHED, NOT_REACHED, `False ${reason}`],
  settings,
});
const host = (reason: string, how: string, breaks: Row['breaks'] & object): Row => ({
  reason,
  how,
  shown: [`False ${reason}`, NOT_REACHED, NOT_REACHED],
  breaks,
});
const workspace = (reason: string, how: string, breaks: Row['breaks'] & object): Row => ({
  reason,
  how,
  shown: [HOST, `False ${reason}`, NOT_REACHED],
  breaks,
});
const runtime = (reason: string, how: string, breaks: Row['breaks'] & object): Row => ({
  reason,
  how,
  shown: [HOST, WORKSPACE, `False ${reason}`],
  breaks,
});

const object = async (t4: T4Fixture, type: ResourceType, name: string): Promise<KubeObject> =>
  await t4.user.get(type, { namespace: type.namespaced ? t4.place.namespace : '', name });
const edit = async (t4: T4Fixture, type: ResourceType, name: string, patch: object, subresource?: 'status') =>
  await t4.edit(type, await object(t4, type, name), patch, subresource);
const erase = async (t4: T4Fixture, type: ResourceType, name: string) =>
  await t4.erase(type, await object(t4, type, name));

async function claim(t4: T4Fixture): Promise<KubeObject> {
  const found = await t4.claimOf(await object(t4, T4Workspaces, 'ws'));
  if (found === undefined) throw new Error('the workspace has no claim');
  return found;
}
const editClaim = async (t4: T4Fixture, patch: object, subresource?: 'status') =>
  await t4.edit(PersistentVolumeClaims, await claim(t4), patch, subresource);
const models = (t4: T4Fixture, text: string | null) =>
  edit(t4, ConfigMaps, 'omp-config', { data: { 'models.yml': text } });
const ompSettings = (t4: T4Fixture, text: string | null) =>
  edit(t4, ConfigMaps, 'omp-config', { data: { 'settings.yml': text } });

/** Another object under the same name, whatever it was before. */
async function replace(
  t4: T4Fixture,
  type: ResourceType,
  name: string,
  body: Record<string, unknown>,
): Promise<KubeObject> {
  await erase(t4, type, name);
  return await t4.create(type, name, body);
}

async function replaceClaim(
  t4: T4Fixture,
  changes: { metadata?: object; accessModes?: string[] } = {},
): Promise<KubeObject> {
  const { metadata, spec } = await claim(t4);
  await t4.erase(PersistentVolumeClaims, await claim(t4));
  const { labels, annotations, ownerReferences } = metadata;
  const created = await t4.create(PersistentVolumeClaims, metadata.name, {
    metadata: { labels, annotations, ownerReferences, ...changes.metadata },
    spec: { ...(spec as object), accessModes: changes.accessModes ?? ['ReadWriteMany'] },
  });
  return await t4.bindClaim(created);
}

export const ROWS: readonly Row[] = [
  installation('RuntimeImageMissing', 'the settings name no image', { omp: SETTINGS.omp }),
  installation('RuntimeImageInvalid', 'the image has a tag only', {
    omp: SETTINGS.omp,
    runtimeImage: 't4/runtime:latest',
  }),
  installation('RuntimeImageInvalid', 'the digest is cut', { omp: SETTINGS.omp, runtimeImage: IMAGE.slice(0, -1) }),
  installation('OMPReferencesMissing', 'the settings have no omp section', { runtimeImage: IMAGE }),
  installation('OMPReferencesInvalid', 'the ConfigMap has an impossible name', {
    ...SETTINGS,
    omp: { ...SETTINGS.omp, configMap: { ...SETTINGS.omp.configMap, name: 'OMP' } },
  }),
  installation('OMPReferencesInvalid', 'the Secret has no keys', {
    ...SETTINGS,
    omp: { ...SETTINGS.omp, secret: { name: 'omp-credentials', keys: [] } },
  }),

  host('HostNotFound', 'the host is deleted', (t4) => erase(t4, T4ClusterHosts, 'host')),
  host('RuntimeProfileNotAllowed', 'the profile is withdrawn', (t4) =>
    edit(t4, T4ClusterHosts, 'host', { spec: { runtimeProfiles: ['large'] } }),
  ),
  host('RuntimeProfileNotAllowed', 'the host is replaced by one without the profile', (t4) =>
    replace(t4, T4ClusterHosts, 'host', { spec: hostSpec(t4.place.storageClass, { runtimeProfiles: ['large'] }) }),
  ),
  host('StorageClassNotFound', 'the StorageClass is deleted', (t4) => erase(t4, StorageClasses, t4.place.storageClass)),
  host('StorageClassNotRWX', 'the annotation is removed', (t4) =>
    edit(t4, StorageClasses, t4.place.storageClass, {
      metadata: { annotations: { 'cluster.t4.dev/access-modes': null } },
    }),
  ),
  host('StorageClassNotRWX', 'the StorageClass is replaced by one for one node', async (t4) => {
    await erase(t4, StorageClasses, t4.place.storageClass);
    await t4.createStorageClass({ 'cluster.t4.dev/access-modes': 'ReadWriteOnce, NotReadWriteMany' });
  }),

  workspace('WorkspaceNotFound', 'the workspace is deleted', (t4) => erase(t4, T4Workspaces, 'ws')),
  workspace('HostMismatch', 'the workspace is replaced by one of another host', (t4) =>
    replace(t4, T4Workspaces, 'ws', { spec: workspaceSpec({ hostRef: 'other' }) }),
  ),
  workspace('PVCNotDeclared', 'the workspace is replaced by one without a claim', (t4) =>
    replace(t4, T4Workspaces, 'ws', { spec: workspaceSpec() }),
  ),
  workspace('PVCNotDeclared', 'the workspace names its claim no more', (t4) =>
    edit(t4, T4Workspaces, 'ws', { status: { pvcUID: null } }, 'status'),
  ),
  workspace('PVCIdentityMismatch', 'the workspace names another claim', (t4) =>
    edit(t4, T4Workspaces, 'ws', { status: { pvcName: 'other' } }, 'status'),
  ),
  workspace('PVCIdentityMismatch', 'the workspace names another UID', (t4) =>
    edit(t4, T4Workspaces, 'ws', { status: { pvcUID: 'other' } }, 'status'),
  ),
  workspace('PVCIdentityMismatch', 'the claim is replaced by a foreign one', (t4) =>
    replaceClaim(t4, { metadata: { labels: {}, annotations: {}, ownerReferences: [] } }),
  ),
  workspace('PVCIdentityMismatch', 'the claim is replaced by one that looks like it', (t4) => replaceClaim(t4)),
  workspace(
    'PVCNotFound',
    'the claim is deleted',
    async (t4) => await t4.erase(PersistentVolumeClaims, await claim(t4)),
  ),
  workspace('PVCOwnershipConflict', 'the claim loses its owner', (t4) =>
    editClaim(t4, { metadata: { ownerReferences: null } }),
  ),
  workspace('PVCOwnershipConflict', 'the claim gets a second owner', async (t4) => {
    const { metadata } = await claim(t4);
    const owner = await t4.create(ConfigMaps, 'other', {});
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: owner.metadata.uid };
    return await editClaim(t4, { metadata: { ownerReferences: [...(metadata.ownerReferences ?? []), other] } });
  }),
  workspace('PVCOwnershipConflict', 'the claim is handed to another workspace', async (t4) => {
    const { metadata } = await claim(t4);
    const { name, uid } = (await t4.create(T4Workspaces, 'other', { spec: workspaceSpec() })).metadata;
    const owners = (metadata.ownerReferences ?? []).map((reference) => ({ ...reference, name, uid }));
    return await editClaim(t4, { metadata: { ownerReferences: owners } });
  }),
  workspace('StorageClassMismatch', 'the host names another class', async (t4) => {
    const other = `${t4.place.storageClass}-2`;
    await t4.user.create(
      StorageClasses,
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: other, annotations: { 'cluster.t4.dev/access-modes': 'ReadWriteOnce,ReadWriteMany' } },
        provisioner: 'test.example/none',
      },
      { fieldManager: 'test' },
    );
    return await edit(t4, T4ClusterHosts, 'host', { spec: { storageClassName: other } });
  }),
  workspace('PVCNotBoundRWX', 'the claim is not bound', (t4) =>
    editClaim(t4, { status: { phase: 'Pending' } }, 'status'),
  ),
  workspace('PVCNotBoundRWX', 'the claim lost its volume', (t4) =>
    editClaim(t4, { status: { phase: 'Lost' } }, 'status'),
  ),
  workspace('PVCNotBoundRWX', 'the claim is being deleted', async (t4) => {
    await editClaim(t4, { metadata: { finalizers: ['test.example/hold'] } });
    return await t4.remove(PersistentVolumeClaims, await claim(t4));
  }),
  workspace('PVCNotBoundRWX', 'the claim is replaced by one for one node, and the workspace names it', async (t4) => {
    const { metadata } = await replaceClaim(t4, { accessModes: ['ReadWriteOnce'] });
    return await edit(t4, T4Workspaces, 'ws', { status: { pvcUID: metadata.uid } }, 'status');
  }),

  runtime('OMPConfigMapNotFound', 'the ConfigMap is deleted', (t4) => erase(t4, ConfigMaps, 'omp-config')),
  runtime('OMPConfigMapInvalid', 'a key is missing', (t4) => ompSettings(t4, null)),
  runtime('OMPConfigMapInvalid', 'the ConfigMap is replaced by one with an alias', (t4) =>
    replace(t4, ConfigMaps, 'omp-config', { data: { 'models.yml': `x: &x 1\n${MODELS}`, 'settings.yml': 'a: 1' } }),
  ),
  runtime('OMPConfigMapInvalid', 'there are no providers', (t4) => models(t4, 'providers: {}')),
  runtime('OMPModelsAuthenticationUnsafe', 'a provider authenticates', (t4) =>
    models(t4, MODELS.replace('none', 'key')),
  ),
  runtime('OMPModelsAuthenticationUnsafe', 'the models hold a key', (t4) => models(t4, `${MODELS}x-api_KEY: secret\n`)),
  runtime('OMPSettingsAuthenticationUnsafe', 'the settings hold a password', (t4) =>
    ompSettings(t4, 'a: [{pass-word: x}]'),
  ),
  runtime('OMPSettingsAuthenticationUnsafe', 'the settings hold a URL with a query', (t4) =>
    ompSettings(t4, 'proxy: http://proxy.svc/?k=1'),
  ),
  runtime('OMPSecretNotFound', 'the Secret is deleted', (t4) => erase(t4, Secrets, 'omp-credentials')),
  runtime('OMPSecretInvalid', 'a key is missing', (t4) =>
    edit(t4, Secrets, 'omp-credentials', { data: { second: null } }),
  ),
  runtime('OMPSecretInvalid', 'a value is empty', (t4) =>
    edit(t4, Secrets, 'omp-credentials', { data: { second: '' } }),
  ),

  {
    reason: 'PVCAuthorityChanged',
    how: 'the claim is unbound between the two looks at it',
    shown: [HOST, 'False PVCAuthorityChanged', RUNTIME],
    beforeSecondLook: (t4) => editClaim(t4, { status: { phase: 'Pending' } }, 'status'),
    afterPass: (t4) => editClaim(t4, { status: { phase: 'Bound' } }, 'status'),
  },
];

/** Every row of the ordered checks, on whatever API server the fixture stands on. */
export function describeSessionChecks(
  server: string,
  newFixture: () => Promise<T4Fixture>,
  dispose: (t4: T4Fixture) => Promise<void> = async () => {},
): void {
  describe(`the session checks on ${server}`, () => {
    let t4: T4Fixture;
    let workspace: KubeObject;
    beforeEach(async () => {
      t4 = await newFixture();
      workspace = await t4.prepare();
    });
    afterEach(async () => {
      await dispose(t4);
    });

    /** One pass, with what the row wants to happen in its middle. */
    const passOf = async ({ settings, beforeSecondLook, afterPass }: Row, session: KubeObject, store?: StateStore) => {
      let looks = 0;
      const api = beforeGet(t4.world.api, async (type) => {
        if (type.kind === 'PersistentVolumeClaim' && ++looks === 2) await beforeSecondLook?.(t4);
      });
      const runner = t4.world.worker('worker-1', {
        clusters: { api: () => api },
        ...(settings && { registry: new Registry(t4Controllers(settings)) }),
        ...(store && { store }),
      });
      const report = await t4.pass(T4Sessions, session, runner);
      await afterPass?.(t4);
      return report;
    };

    const expectRevoked = async ({ reason, shown }: Row, session: KubeObject) => {
      const now = await t4.read(T4Sessions, session);
      expect(await t4.shown(T4Sessions, session)).toEqual({
        HostReady: shown[0],
        WorkspaceReady: shown[1],
        RuntimeConfigured: shown[2],
        Available: `False ${reason}`,
      });
      expect(new Set(conditionsOf(now).map(({ observedGeneration }) => observedGeneration))).toEqual(
        new Set([now.metadata.generation]),
      );
      expect(now.status).toMatchObject({ phase: 'Failed', observedGeneration: now.metadata.generation });
      expect(now.status).not.toHaveProperty('podName');
      expect(now.status).not.toHaveProperty('serviceName');
      expect(await t4.podOf(session)).toBeUndefined();
      expect(await t4.serviceOf(session)).toBeUndefined();
    };

    it.each(ROWS)('R-4.2 R-4.3 R-1.14 $reason: $how: a running session is revoked, once', async (row) => {
      const session = await t4.runningSession();
      expect(session.status).toMatchObject({ phase: 'Running' });
      expect(await t4.podOf(session)).toBeDefined();
      expect(await t4.serviceOf(session)).toBeDefined();

      await row.breaks?.(t4);
      const report = await passOf(row, session);
      expect(report.outcome).toBe('settled');
      await expectRevoked(row, session);
      const revoked = await t4.read(T4Sessions, session);

      // Again; for an event that comes twice; and by a worker who knows nothing of the session.
      t4.forgetRequests();
      await passOf(row, session);
      await passOf(row, session);
      const event = t4.world.event(T4Sessions, revoked);
      expect([(await t4.worker().handle(event)).end, (await t4.worker().handle(event)).end]).toEqual([
        'covered',
        'covered',
      ]);
      await passOf(row, session, new MemoryStateStore({ clock: t4.world.clock }));
      expect(t4.writes).toEqual([]);
      expect(await t4.read(T4Sessions, session)).toEqual(revoked);
    });

    it.each(ROWS)('R-4.2 $reason: $how: a new session does not start', async (row) => {
      await row.breaks?.(t4);
      const session = await t4.createSession();
      t4.forgetRequests();
      await passOf(row, session);
      await expectRevoked(row, session);
      expect(t4.writes.filter((write) => /\/(pods|services)/.test(write))).toEqual([]);
    });

    it('R-1.22 R-4.2 a session that may run says so of each prerequisite, and names what it has', async () => {
      const session = await t4.runningSession();
      expect(await t4.shown(T4Sessions, session)).toEqual({
        HostReady: HOST,
        WorkspaceReady: WORKSPACE,
        RuntimeConfigured: RUNTIME,
        Available: 'True PodReady',
      });
      const [pod, service] = [await t4.podOf(session), await t4.serviceOf(session)];
      expect(session.status).toMatchObject({ podName: pod?.metadata.name, serviceName: service?.metadata.name });
      expect(await t4.shown(T4Workspaces, workspace)).toMatchObject({ Ready: 'True WorkspaceReady' });
    });

    it('R-1.3 three passes of each kind without a change write nothing and leave every version as it is', async () => {
      const session = await t4.runningSession();
      const host = await t4.user.get(T4ClusterHosts, { namespace: t4.place.namespace, name: 'host' });
      await t4.pass(T4ClusterHosts, host);
      await t4.pass(T4Workspaces, workspace);
      const everything = async () => [
        await t4.read(T4ClusterHosts, host),
        await t4.read(T4Workspaces, workspace),
        await t4.read(T4Sessions, session),
        await t4.claimOf(workspace),
        await t4.podOf(session),
        await t4.serviceOf(session),
      ];
      const before = await everything();
      t4.forgetRequests();
      for (let repetition = 0; repetition < 3; repetition += 1) {
        await t4.pass(T4ClusterHosts, host);
        await t4.pass(T4Workspaces, workspace);
        await t4.pass(T4Sessions, session);
      }
      expect(t4.writes).toEqual([]);
      expect(await everything()).toEqual(before);
    });
  });
}
