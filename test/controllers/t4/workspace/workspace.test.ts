import { beforeEach, describe, expect, it } from 'vitest';
import { claimName } from '../../../../lib/controllers/t4/child-name.ts';
import { PersistentVolumeClaims, T4ClusterHosts, T4Workspaces } from '../../../../lib/controllers/t4/kinds.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { StorageClasses } from '../../../../lib/core/resource-type.ts';
import { withCalls } from '../interposed-api.ts';
import { hostSpec, workspaceSpec } from '../objects.ts';
import { conditionsOf, T4Fixture } from '../t4-fixture.ts';

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
  await t4.createStorageClass();
  await t4.create(T4ClusterHosts, 'host', { spec: hostSpec('shared') });
});

const newWorkspace = (spec: Record<string, unknown> = {}) =>
  t4.create(T4Workspaces, 'ws', { spec: workspaceSpec(spec) });
const shown = (workspace: KubeObject) => t4.shown(T4Workspaces, workspace);
const statusOf = async (workspace: KubeObject) => (await t4.read(T4Workspaces, workspace)).status;
async function claimOf(workspace: KubeObject): Promise<KubeObject> {
  const claim = await t4.claimOf(workspace);
  if (claim === undefined) throw new Error('the workspace has no claim');
  return claim;
}

/** A claim under the workspace's name, made by hand. */
function createClaim(workspace: KubeObject, metadata: object, spec: object = {}): Promise<KubeObject> {
  return t4.create(PersistentVolumeClaims, claimName(workspace.metadata), {
    metadata,
    spec: {
      accessModes: ['ReadWriteMany'],
      storageClassName: 'shared',
      resources: { requests: { storage: '10Gi' } },
      ...spec,
    },
  });
}

const marks = (workspace: KubeObject) => ({
  labels: { 'cluster.t4.dev/workspace': 'ws' },
  annotations: { 'cluster.t4.dev/workspace-uid': workspace.metadata.uid },
});
const owner = ({ metadata }: KubeObject) => ({
  apiVersion: 'cluster.t4.dev/v1alpha1',
  kind: 'T4Workspace',
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
});

describe('a workspace', () => {
  it('R-1.20 workspace creates its own claim, and is ready when the claim is bound', async () => {
    const workspace = await newWorkspace();
    await t4.pass(T4Workspaces, workspace);
    const claim = await claimOf(workspace);
    expect(claim.metadata).toMatchObject({
      labels: { 'cluster.t4.dev/workspace': 'ws', 'app.kubernetes.io/managed-by': 'evenkeel' },
      annotations: { 'cluster.t4.dev/workspace-uid': workspace.metadata.uid },
      ownerReferences: [owner(workspace)],
    });
    expect(claim.spec).toMatchObject({
      accessModes: ['ReadWriteMany'],
      volumeMode: 'Filesystem',
      storageClassName: 'shared',
      resources: { requests: { storage: '10Gi' } },
    });
    expect(await shown(workspace)).toEqual({
      HostReady: 'True HostFound',
      StorageReady: 'False PVCPending',
      Ready: 'False PVCPending',
    });
    const identity = { pvcName: claim.metadata.name, pvcUID: claim.metadata.uid };
    expect(await statusOf(workspace)).toMatchObject({ phase: 'Pending', pvcPhase: 'Pending', ...identity });

    await t4.bind(workspace);
    await t4.pass(T4Workspaces, workspace);
    expect(await shown(workspace)).toEqual({
      HostReady: 'True HostFound',
      StorageReady: 'True PVCBound',
      Ready: 'True WorkspaceReady',
    });
    expect(await statusOf(workspace)).toMatchObject({
      phase: 'Ready',
      pvcPhase: 'Bound',
      capacity: '10Gi',
      ...identity,
    });
  });

  it('R-1.20 a claim under Retain never has an owner reference', async () => {
    const workspace = await newWorkspace({ retentionPolicy: 'Retain' });
    await t4.pass(T4Workspaces, workspace);
    expect((await claimOf(workspace)).metadata.ownerReferences).toBeUndefined();
    await t4.bind(workspace);
    await t4.pass(T4Workspaces, workspace);
    expect((await claimOf(workspace)).metadata.ownerReferences).toBeUndefined();
    expect(await shown(workspace)).toMatchObject({ Ready: 'True WorkspaceReady' });
  });

  it('R-1.11 workspace with a name of 253 characters has a valid claim and label', async () => {
    const name = 'w'.repeat(253);
    const workspace = await t4.createWorkspace(name, { retentionPolicy: 'Retain' });
    const claim = await claimOf(workspace);
    expect(claim.metadata.labels).toMatchObject({ 'cluster.t4.dev/workspace': claim.metadata.name });
    expect(await shown(workspace)).toMatchObject({ Ready: 'True WorkspaceReady' });
  });

  it('R-4.1 workspace creates no claim without its host, and creates it when the host appears', async () => {
    const workspace = await newWorkspace({ hostRef: 'later' });
    expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'settled', dueAtMs: undefined });
    expect(await shown(workspace)).toEqual({
      HostReady: 'False HostNotFound',
      StorageReady: 'Unknown NotEvaluated',
      Ready: 'False HostNotFound',
    });
    expect(await t4.claimOf(workspace)).toBeUndefined();
    await t4.create(T4ClusterHosts, 'later', { spec: hostSpec('shared') });
    await t4.pass(T4Workspaces, workspace);
    expect(await t4.claimOf(workspace)).toBeDefined();
  });

  it('R-1.22 R-1.4 workspace does not evaluate storage, keeps its claim and repairs its marks when the host disappears', async () => {
    const workspace = await t4.createWorkspace('ws');
    const claim = await claimOf(workspace);
    await t4.erase(T4ClusterHosts, await t4.user.get(T4ClusterHosts, { namespace: 'default', name: 'host' }));
    await t4.edit(PersistentVolumeClaims, claim, { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } });
    await t4.pass(T4Workspaces, workspace);
    expect(await shown(workspace)).toMatchObject({ StorageReady: 'Unknown NotEvaluated', Ready: 'False HostNotFound' });
    expect(await statusOf(workspace)).toMatchObject({ pvcName: claim.metadata.name, pvcUID: claim.metadata.uid });
    expect((await claimOf(workspace)).metadata).toMatchObject({
      uid: claim.metadata.uid,
      labels: claim.metadata.labels,
    });
  });

  it.each([
    ['the workspace label', { labels: { 'cluster.t4.dev/workspace': 'x' } }],
    ['the managed-by label', { labels: { 'app.kubernetes.io/managed-by': null } }],
    ['the annotation', { annotations: { 'cluster.t4.dev/workspace-uid': null } }],
  ])('R-1.4 workspace restores %s of its own claim', async (_, metadata) => {
    const workspace = await t4.createWorkspace('ws');
    const before = await claimOf(workspace);
    await t4.edit(PersistentVolumeClaims, before, { metadata });
    await t4.pass(T4Workspaces, workspace);
    const after = await claimOf(workspace);
    expect([after.metadata.labels, after.metadata.annotations]).toEqual([
      before.metadata.labels,
      before.metadata.annotations,
    ]);
  });

  it('R-1.4 R-1.20 workspace removes an owner reference from a retained claim, because it would delete the data', async () => {
    const workspace = await t4.createWorkspace('ws', { retentionPolicy: 'Retain' });
    await t4.edit(PersistentVolumeClaims, await claimOf(workspace), {
      metadata: { ownerReferences: [owner(workspace)] },
    });
    await t4.pass(T4Workspaces, workspace);
    expect((await claimOf(workspace)).metadata.ownerReferences).toBeUndefined();
    expect(await shown(workspace)).toMatchObject({ Ready: 'True WorkspaceReady' });
  });

  it.each(['Retain', 'Delete'])(
    'R-1.4 workspace under %s creates its claim again and records it when it was deleted before it was bound',
    async (retentionPolicy) => {
      const workspace = await newWorkspace({ retentionPolicy });
      await t4.pass(T4Workspaces, workspace);
      const before = await claimOf(workspace);
      await t4.erase(PersistentVolumeClaims, before);
      expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'checkAt' });
      expect(await shown(workspace)).toMatchObject({ Ready: 'False PVCMissing' });
      expect(await statusOf(workspace)).not.toHaveProperty('pvcUID');
      await t4.world.run(5_000);
      const after = await claimOf(workspace);
      expect(after.metadata.uid).not.toBe(before.metadata.uid);
      expect(await statusOf(workspace)).toMatchObject({ pvcUID: after.metadata.uid, phase: 'Pending' });
    },
  );

  it('R-1.4 a bound claim grows with the requested size, and never shrinks', async () => {
    const workspace = await newWorkspace();
    await t4.pass(T4Workspaces, workspace);
    await t4.edit(T4Workspaces, workspace, { spec: { size: '20Gi' } });
    await t4.pass(T4Workspaces, workspace);
    const requested = async () =>
      ((await claimOf(workspace)).spec as { resources: { requests: { storage: string } } }).resources.requests.storage;
    expect(await requested()).toBe('10Gi');
    await t4.bind(workspace);
    await t4.pass(T4Workspaces, workspace);
    expect(await requested()).toBe('20Gi');
    await t4.edit(T4Workspaces, workspace, { spec: { size: '20480Mi' } });
    t4.forgetRequests();
    await t4.pass(T4Workspaces, workspace);
    expect(t4.writes.filter((write) => write.includes('persistentvolumeclaims'))).toEqual([]);
    // The state after an admin enlarged it by hand.
    await t4.edit(PersistentVolumeClaims, await claimOf(workspace), {
      spec: { resources: { requests: { storage: '30Gi' } } },
    });
    await t4.pass(T4Workspaces, workspace);
    expect(await requested()).toBe('30Gi');
  });

  it('R-1.7 workspace reports and retries a growth that is refused', async () => {
    const workspace = await t4.createWorkspace('ws');
    const storageClass = await t4.user.get(StorageClasses, { namespace: '', name: 'shared' });
    await t4.edit(StorageClasses, storageClass, { allowVolumeExpansion: false });
    await t4.edit(T4Workspaces, workspace, { spec: { size: '20Gi' } });
    expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'retry', reason: 'ApiForbidden' });
    expect(await shown(workspace)).toMatchObject({
      StorageReady: 'False PVCGrowthRefused',
      Ready: 'False PVCGrowthRefused',
    });
    expect(await statusOf(workspace)).toMatchObject({ phase: 'Failed', pvcPhase: 'Bound' });
  });

  it.each([
    [403, 'AccessDenied'],
    [500, 'PVCWriteFailed'],
  ])('R-1.7 R-3.11 workspace reports and retries a creation when the answer is %i', async (status, reason) => {
    const injected = t4.world.server.inject({
      match: { verb: 'create', resource: 'persistentvolumeclaims' },
      fault: { status },
    });
    const workspace = await newWorkspace();
    expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'retry' });
    expect(await shown(workspace)).toMatchObject({
      StorageReady: `Unknown ${reason}`,
      Ready: `Unknown ${reason}`,
    });
    injected.remove();
    await t4.world.run(5_000);
    expect(await t4.claimOf(workspace)).toBeDefined();
  });

  it('R-5.6 workspace recognizes its own claim when the answer to the creation was lost', async () => {
    t4.world.server.inject({
      match: { verb: 'create', resource: 'persistentvolumeclaims' },
      fault: { dropResponse: true },
      times: 1,
    });
    const workspace = await newWorkspace({ retentionPolicy: 'Retain' });
    await t4.pass(T4Workspaces, workspace);
    await t4.world.run(5_000);
    expect(await shown(workspace)).toMatchObject({ StorageReady: 'False PVCPending' });
  });
});

describe('a claim that is not as it must be', () => {
  const rows: [string, string, (workspace: KubeObject) => Promise<unknown>][] = [
    ['PVCOwnershipConflict', 'a claim of no one', (ws) => createClaim(ws, {})],
    [
      'PVCOwnershipConflict',
      'a claim that was retained of an earlier workspace of the name',
      (ws) =>
        createClaim(ws, {
          labels: marks(ws).labels,
          annotations: { 'cluster.t4.dev/workspace-uid': 'earlier', 'cluster.t4.dev/retained': 'true' },
        }),
    ],
    ['PVCOwnershipConflict', 'a marked claim without the owner that Delete needs', (ws) => createClaim(ws, marks(ws))],
    [
      'PVCNotRWX',
      'an own claim for one node',
      (ws) => createClaim(ws, { ...marks(ws), ownerReferences: [owner(ws)] }, { accessModes: ['ReadWriteOnce'] }),
    ],
    [
      'PVCNotRWX',
      'an own claim as a block device',
      (ws) => createClaim(ws, { ...marks(ws), ownerReferences: [owner(ws)] }, { volumeMode: 'Block' }),
    ],
    [
      'StorageClassMismatch',
      'an own claim of another class',
      (ws) => createClaim(ws, { ...marks(ws), ownerReferences: [owner(ws)] }, { storageClassName: 'other' }),
    ],
    [
      'PVCLost',
      'an own claim that lost its volume',
      async (ws) => {
        const claim = await createClaim(ws, { ...marks(ws), ownerReferences: [owner(ws)] });
        return await t4.edit(PersistentVolumeClaims, claim, { status: { phase: 'Lost' } }, 'status');
      },
    ],
  ];
  it.each(rows)(
    'R-1.21 workspace reports %s and leaves the claim as it is when it finds %s',
    async (reason, _, make) => {
      const workspace = await newWorkspace();
      await make(workspace);
      expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'settled' });
      expect(await shown(workspace)).toEqual({
        HostReady: 'True HostFound',
        StorageReady: `False ${reason}`,
        Ready: `False ${reason}`,
      });
      expect(await statusOf(workspace)).toMatchObject({ phase: 'Failed' });
      const before = [await claimOf(workspace), await t4.read(T4Workspaces, workspace)];
      t4.forgetRequests();
      for (let repetition = 0; repetition < 3; repetition += 1) await t4.pass(T4Workspaces, workspace);
      expect(t4.writes).toEqual([]);
      expect([await claimOf(workspace), await t4.read(T4Workspaces, workspace)]).toEqual(before);
    },
  );

  it('R-1.21 workspace reads and judges a claim that appears during its creation', async () => {
    const workspace = await newWorkspace();
    t4.world.server.inject({
      match: ({ verb, resource, userAgent }) =>
        verb === 'create' && resource === 'persistentvolumeclaims' && userAgent === 'evenkeel',
      fault: { delay: createClaim(workspace, {}) },
    });
    // The first read does not find it.
    const { api } = t4.world;
    let looks = 0;
    const get: typeof api.get = async (type, name, options) => {
      const isFirst = type === PersistentVolumeClaims && ++looks === 1;
      return await api.get(type, isFirst ? { ...name, name: 'none' } : name, options);
    };
    await t4.pass(T4Workspaces, workspace, t4.world.worker('w', { clusters: { api: () => withCalls(api, { get }) } }));
    expect(await shown(workspace)).toMatchObject({ Ready: 'False PVCOwnershipConflict' });
    expect((await claimOf(workspace)).metadata.ownerReferences).toBeUndefined();
  });

  it('R-1.25 workspace retries after about 5 s when the name was taken only for a short time and nothing is watched', async () => {
    const workspace = await newWorkspace();
    const { api } = t4.world;
    const create: typeof api.create = async (type, object, options) => {
      const foreign = type === PersistentVolumeClaims ? await createClaim(workspace, {}) : undefined;
      try {
        return await api.create(type, object, options);
      } finally {
        if (foreign !== undefined) await t4.erase(PersistentVolumeClaims, foreign);
      }
    };
    const runner = t4.world.worker('racing', { clusters: { api: () => withCalls(api, { create }) } });
    const report = await t4.pass(T4Workspaces, workspace, runner);
    expect(report.outcome).toBe('checkAt');
    const inMs = (report.dueAtMs ?? 0) - t4.world.clock.now();
    expect(inMs).toBeGreaterThanOrEqual(4_000);
    expect(inMs).toBeLessThanOrEqual(6_000);
    expect(await shown(workspace)).toMatchObject({ Ready: 'False PVCMissing' });
    await t4.world.run(10_000);
    expect(await t4.claimOf(workspace)).toBeDefined();
  });

  it('R-1.12 workspace publishes nothing when a repair conflicts, and the next pass reads again', async () => {
    const workspace = await t4.createWorkspace('ws');
    await t4.edit(PersistentVolumeClaims, await claimOf(workspace), {
      metadata: { labels: { 'app.kubernetes.io/managed-by': null } },
    });
    t4.world.server.inject({
      match: { verb: 'patch', resource: 'persistentvolumeclaims', userAgent: 'evenkeel' },
      fault: { status: 409 },
      times: 1,
    });
    const before = await t4.read(T4Workspaces, workspace);
    expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'retry', reason: 'ApiConflict' });
    expect(await t4.read(T4Workspaces, workspace)).toEqual(before);
    await t4.world.run(10_000);
    expect((await claimOf(workspace)).metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'evenkeel' });
  });

  it('R-1.20 under Retain, a claim other than the recorded one is foreign although its marks agree', async () => {
    const workspace = await t4.createWorkspace('ws', { retentionPolicy: 'Retain' });
    const recorded = (await claimOf(workspace)).metadata.uid;
    await t4.erase(PersistentVolumeClaims, await claimOf(workspace));
    const other = await createClaim(workspace, marks(workspace));
    await t4.pass(T4Workspaces, workspace);
    expect(await shown(workspace)).toMatchObject({ StorageReady: 'False PVCOwnershipConflict' });
    expect(await statusOf(workspace)).toMatchObject({ pvcUID: recorded });
    expect(await t4.read(PersistentVolumeClaims, other)).toEqual(other);
  });

  it('R-1.4 workspace reports PVCTerminating and writes nothing while its claim is being deleted', async () => {
    const workspace = await t4.createWorkspace('ws');
    const claim = await claimOf(workspace);
    await t4.edit(PersistentVolumeClaims, claim, { metadata: { finalizers: ['test.example/hold'] } });
    await t4.remove(PersistentVolumeClaims, claim);
    expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'settled', dueAtMs: undefined });
    expect(await shown(workspace)).toMatchObject({ Ready: 'False PVCTerminating' });
    t4.forgetRequests();
    await t4.pass(T4Workspaces, workspace);
    expect(t4.writes).toEqual([]);
  });

  it.each([
    ['t4clusterhosts', 403, 'HostReady', 'HostAccessDenied'],
    ['t4clusterhosts', 504, 'HostReady', 'HostReadFailed'],
    ['persistentvolumeclaims', 403, 'StorageReady', 'PVCAccessDenied'],
    ['persistentvolumeclaims', 504, 'StorageReady', 'PVCReadFailed'],
  ])(
    'R-1.22 R-1.17 a read of %s that gets %i makes %s Unknown, keeps the records, and is retried',
    async (resource, status, type, reason) => {
      const workspace = await t4.createWorkspace('ws');
      const { pvcUID } = (await statusOf(workspace)) as { pvcUID: string };
      t4.world.server.inject({ match: { verb: 'get', resource, userAgent: 'evenkeel' }, fault: { status } });
      expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'retry' });
      expect(await shown(workspace)).toMatchObject({ [type]: `Unknown ${reason}`, Ready: `Unknown ${reason}` });
      expect(await statusOf(workspace)).toMatchObject({ phase: 'Unknown', pvcUID });
    },
  );

  it.each([
    ['t4clusterhosts', 'Unknown HostReadFailed'],
    ['persistentvolumeclaims', 'Unknown PVCReadFailed'],
  ])('R-1.17 workspace that is new gets no claim while %s cannot be read', async (resource, ready) => {
    const workspace = await newWorkspace();
    const injected = t4.world.server.inject({
      match: { verb: 'get', resource, userAgent: 'evenkeel' },
      fault: { status: 504 },
    });
    t4.forgetRequests();
    expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'retry' });
    expect(t4.writes.filter((write) => write.includes('persistentvolumeclaims'))).toEqual([]);
    expect(await shown(workspace)).toMatchObject({ Ready: ready });
    injected.remove();
    await t4.world.run(10_000);
    expect(await t4.claimOf(workspace)).toBeDefined();
  });

  it('R-6.4 R-1.21 workspace reports the field and leaves its claim when admission did not refuse an invalid spec', async () => {
    const workspace = await t4.createWorkspace('ws');
    const before = await claimOf(workspace);
    const { api } = t4.world;
    const get: typeof api.get = async (type, name, options) => {
      const object = await api.get(type, name, options);
      return type === T4Workspaces ? { ...object, spec: { ...(object.spec as object), size: 'huge' } } : object;
    };
    const report = await t4.pass(
      T4Workspaces,
      workspace,
      t4.world.worker('w', { clusters: { api: () => withCalls(api, { get }) } }),
    );
    expect(report).toMatchObject({ outcome: 'terminal', reason: 'InvalidSpec', dueAtMs: undefined });
    expect(await shown(workspace)).toMatchObject({ Ready: 'False InvalidSpec' });
    expect(conditionsOf(await t4.read(T4Workspaces, workspace)).at(-1)?.message).toContain('spec.size must be');
    expect(await claimOf(workspace)).toEqual(before);
  });
});
