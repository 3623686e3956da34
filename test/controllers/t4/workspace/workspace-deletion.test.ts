import { beforeEach, describe, expect, it } from 'vitest';
import { PersistentVolumeClaims, T4Sessions, T4Workspaces } from '../../../../lib/controllers/t4/kinds.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { ConfigMaps } from '../../../../lib/core/resource-type.ts';
import { ApiError } from '../../../../lib/ports/cluster-api.ts';
import { withCalls } from '../interposed-api.ts';
import { T4Fixture } from '../t4-fixture.ts';

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
  await t4.prepare();
});

const workspaceNamed = (name = 'ws') => t4.user.get(T4Workspaces, { namespace: 'default', name });
const shown = (workspace: KubeObject) => t4.shown(T4Workspaces, workspace);
async function claimOf(workspace: KubeObject): Promise<KubeObject> {
  const claim = await t4.claimOf(workspace);
  if (claim === undefined) throw new Error('the workspace has no claim');
  return claim;
}
const lists = () => t4.world.server.requests.find({ verb: 'list', userAgent: 'evenkeel' });

describe('the end of a workspace', () => {
  it('R-4.5 R-1.18 Delete removes the claim by UID and version, and the workspace when the claim is confirmed gone', async () => {
    const workspace = await workspaceNamed();
    const claim = await claimOf(workspace);
    await t4.remove(T4Workspaces, workspace);
    await t4.pass(T4Workspaces, workspace);
    expect(await t4.claimOf(workspace)).toBeUndefined();
    expect(await t4.find(T4Workspaces, 'ws')).toBeUndefined();
    const deletion = t4.requests.find(({ method }) => method === 'DELETE');
    expect(JSON.parse(deletion?.body ?? '{}')).toMatchObject({
      preconditions: { uid: claim.metadata.uid, resourceVersion: claim.metadata.resourceVersion },
    });
  });

  it('R-4.5 Retain marks the claim, keeps it, and removes the workspace', async () => {
    const workspace = await t4.createWorkspace('kept', { retentionPolicy: 'Retain' });
    const before = await claimOf(workspace);
    await t4.remove(T4Workspaces, workspace);
    await t4.pass(T4Workspaces, workspace);
    expect(await t4.find(T4Workspaces, 'kept')).toBeUndefined();
    const after = await claimOf(workspace);
    expect(after.metadata).toMatchObject({
      uid: before.metadata.uid,
      annotations: { 'cluster.t4.dev/retained': 'true', 'cluster.t4.dev/workspace-uid': workspace.metadata.uid },
    });
    expect(after.metadata.ownerReferences).toBeUndefined();
    expect(after.spec).toEqual(before.spec);
  });

  it('R-4.5 R-1.20 Retain removes an owner reference of the workspace that somebody added, and no other', async () => {
    const workspace = await t4.createWorkspace('kept', { retentionPolicy: 'Retain' });
    const { name, uid } = workspace.metadata;
    const own = { apiVersion: 'cluster.t4.dev/v1alpha1', kind: 'T4Workspace', name, uid, controller: true };
    await t4.edit(PersistentVolumeClaims, await claimOf(workspace), { metadata: { ownerReferences: [own] } });
    await t4.remove(T4Workspaces, workspace);
    await t4.pass(T4Workspaces, workspace);
    expect(await t4.find(T4Workspaces, 'kept')).toBeUndefined();
    expect((await claimOf(workspace)).metadata.ownerReferences).toBeUndefined();
  });

  it.each([
    ['takes the mark off', () => ({ annotations: { 'cluster.t4.dev/retained': null } })],
    [
      'makes the workspace its owner',
      ({ name, uid }: KubeObject['metadata']) => {
        const own = { apiVersion: 'cluster.t4.dev/v1alpha1', kind: 'T4Workspace', name, uid, controller: true };
        return { ownerReferences: [own] };
      },
    ],
  ])(
    'R-4.5 R-1.15 Retain keeps the workspace until the result is confirmed when somebody %s at once',
    async (_, undo) => {
      const workspace = await t4.createWorkspace('kept', { retentionPolicy: 'Retain' });
      await t4.remove(T4Workspaces, workspace);
      const { api } = t4.world;
      let looks = 0;
      const get: typeof api.get = async (type, name, options) => {
        if (type === PersistentVolumeClaims && ++looks === 2)
          await t4.edit(PersistentVolumeClaims, await claimOf(workspace), { metadata: undo(workspace.metadata) });
        return await api.get(type, name, options);
      };
      const runner = t4.world.worker('w', { clusters: { api: () => withCalls(api, { get }) } });
      expect(await t4.pass(T4Workspaces, workspace, runner)).toMatchObject({ outcome: 'settled' });
      expect(await shown(workspace)).toMatchObject({ Ready: 'False Terminating' });
      // The pass that the claim's event starts.
      await t4.pass(T4Workspaces, workspace);
      expect(await t4.find(T4Workspaces, 'kept')).toBeUndefined();
      const { annotations, ownerReferences } = (await claimOf(workspace)).metadata;
      expect([annotations?.['cluster.t4.dev/retained'], ownerReferences]).toEqual(['true', undefined]);
    },
  );

  it('R-1.11 workspace that was created again has its own claim next to the retained one', async () => {
    const first = await t4.createWorkspace('kept', { retentionPolicy: 'Retain' });
    await t4.remove(T4Workspaces, first);
    await t4.pass(T4Workspaces, first);
    const retained = await claimOf(first);
    const second = await t4.createWorkspace('kept', { retentionPolicy: 'Retain' });
    expect((await claimOf(second)).metadata.name).not.toBe(retained.metadata.name);
    expect(await shown(second)).toMatchObject({ Ready: 'True WorkspaceReady' });
    expect(await claimOf(first)).toEqual(retained);
  });

  it('R-4.5 sessions visibly keep the workspace, and the last one to end releases it without polling', async () => {
    const workspace = await workspaceNamed();
    const sessions = [await t4.runningSession('a'), await t4.createSession('b')];
    await t4.createWorkspace('other');
    await t4.createSession('of-another', { workspaceRef: 'other' });
    await t4.remove(T4Workspaces, workspace);
    expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'settled', dueAtMs: undefined });
    expect(await shown(workspace)).toEqual({
      HostReady: 'Unknown NotEvaluated',
      StorageReady: 'Unknown NotEvaluated',
      Ready: 'False SessionsRemain',
    });
    const before = await claimOf(workspace);
    t4.forgetRequests();
    await t4.pass(T4Workspaces, workspace);
    expect(t4.writes).toEqual([]);
    // A running session is not disturbed.
    await t4.pass(T4Sessions, sessions[0] as KubeObject);
    expect(await t4.shown(T4Sessions, sessions[0] as KubeObject)).toMatchObject({ Available: 'True PodReady' });

    for (const [index, session] of sessions.entries()) {
      await t4.remove(T4Sessions, session);
      await t4.pass(T4Sessions, session);
      expect(await t4.find(T4Sessions, session.metadata.name)).toBeUndefined();
      // The event that the relay sends: the deletion of a listed object.
      const changed = { type: T4Sessions, object: session, deleted: true };
      await t4.worker().handle(t4.world.dependencyEvent({ type: T4Workspaces, object: workspace }, changed));
      if (index === 0) expect(await claimOf(workspace)).toEqual(before);
    }
    expect(await t4.find(T4Workspaces, 'ws')).toBeUndefined();
    expect(await t4.claimOf(workspace)).toBeUndefined();
  });

  it('R-4.5 R-1.15 a session counts while it is being deleted, because its Pod may write', async () => {
    const workspace = await workspaceNamed();
    const session = await t4.runningSession();
    await t4.remove(T4Sessions, session);
    await t4.remove(T4Workspaces, workspace);
    await t4.pass(T4Workspaces, workspace);
    expect(await shown(workspace)).toMatchObject({ Ready: 'False SessionsRemain' });
  });

  it('R-4.5 the group makes only this list, from the API server and of one namespace', async () => {
    const workspace = await workspaceNamed();
    await t4.runningSession();
    expect(lists()).toEqual([]);
    await t4.remove(T4Workspaces, workspace);
    await t4.pass(T4Workspaces, workspace);
    expect(lists()).toHaveLength(1);
    const [list] = lists();
    expect(list).toMatchObject({ resource: 't4sessions', namespace: 'default' });
    // With a resourceVersion a cache could answer, which may not contain a new session yet.
    expect(list?.path).not.toContain('resourceVersion');
    expect(list?.path).not.toContain('labelSelector');
  });

  it.each([
    [403, 'SessionsAccessDenied'],
    [429, 'SessionsReadFailed'],
    [500, 'SessionsReadFailed'],
    [504, 'SessionsReadFailed'],
  ])(
    'R-1.17 R-4.5 workspace keeps its claim when a list gets %i, shows Ready Unknown %s, and retries',
    async (status, reason) => {
      const workspace = await workspaceNamed();
      const before = await claimOf(workspace);
      const injected = t4.world.server.inject({ match: { verb: 'list', resource: 't4sessions' }, fault: { status } });
      await t4.remove(T4Workspaces, workspace);
      expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'retry' });
      expect(await shown(workspace)).toMatchObject({ Ready: `Unknown ${reason}` });
      expect(await claimOf(workspace)).toEqual(before);
      injected.remove();
      await t4.world.run(10_000);
      expect(await t4.find(T4Workspaces, 'ws')).toBeUndefined();
    },
  );

  it('R-1.17 R-4.5 workspace keeps its claim when the second page fails', async () => {
    const workspace = await workspaceNamed();
    await t4.createSession('last');
    const api = t4.world.api;
    const list: typeof api.list = async (type, options) => {
      if (options?.continueToken !== undefined) throw new ApiError('ServerError', 'no second page');
      const page = await api.list(type, options);
      return { ...page, items: [], continueToken: 'more' };
    };
    await t4.remove(T4Workspaces, workspace);
    const runner = t4.world.worker('w', { clusters: { api: () => withCalls(api, { list }) } });
    expect(await t4.pass(T4Workspaces, workspace, runner)).toMatchObject({ outcome: 'retry' });
    expect(await t4.claimOf(workspace)).toBeDefined();
  });

  it('R-1.15 R-4.5 workspace shows Terminating, and deletes its claim only once, while a finalizer keeps the claim', async () => {
    const workspace = await workspaceNamed();
    const claim = await claimOf(workspace);
    await t4.edit(PersistentVolumeClaims, claim, { metadata: { finalizers: ['test.example/hold'] } });
    await t4.remove(T4Workspaces, workspace);
    expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'settled', dueAtMs: undefined });
    expect(await shown(workspace)).toMatchObject({ Ready: 'False Terminating' });
    t4.forgetRequests();
    await t4.pass(T4Workspaces, workspace);
    expect(t4.writes).toEqual([]);
    await t4.edit(PersistentVolumeClaims, claim, { metadata: { finalizers: null } });
    await t4.pass(T4Workspaces, workspace);
    expect(await t4.find(T4Workspaces, 'ws')).toBeUndefined();
  });

  const foreigners: [string, () => Promise<object>][] = [
    ['handed to nobody', async () => ({ ownerReferences: null })],
    [
      'shared with another',
      async () => {
        const { metadata } = await t4.create(ConfigMaps, 'owner', {});
        const own = (await claimOf(await workspaceNamed())).metadata.ownerReferences ?? [];
        return { ownerReferences: [...own, { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid }] };
      },
    ],
  ];
  it.each(foreigners)(
    'R-4.5 R-1.21 workspace keeps a claim %s, and stays until a person decides',
    async (_, change) => {
      const workspace = await workspaceNamed();
      await t4.edit(PersistentVolumeClaims, await claimOf(workspace), { metadata: await change() });
      const foreign = await claimOf(workspace);
      await t4.remove(T4Workspaces, workspace);
      expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'settled' });
      expect(await shown(workspace)).toMatchObject({ Ready: 'False CleanupOwnershipConflict' });
      expect(await claimOf(workspace)).toEqual(foreign);
      await t4.erase(PersistentVolumeClaims, foreign);
      await t4.pass(T4Workspaces, workspace);
      expect(await t4.find(T4Workspaces, 'ws')).toBeUndefined();
    },
  );

  it('R-4.5 workspace keeps a foreign claim under the name of a retained one', async () => {
    const workspace = await t4.createWorkspace('kept', { retentionPolicy: 'Retain' });
    await t4.edit(PersistentVolumeClaims, await claimOf(workspace), {
      metadata: { annotations: { 'cluster.t4.dev/workspace-uid': 'other' } },
    });
    const foreign = await claimOf(workspace);
    await t4.remove(T4Workspaces, workspace);
    await t4.pass(T4Workspaces, workspace);
    expect(await shown(workspace)).toMatchObject({ Ready: 'False CleanupOwnershipConflict' });
    expect(await claimOf(workspace)).toEqual(foreign);
  });

  it.each(['get', 'delete'])('R-1.17 workspace stays and retries when a %s of the claim fails', async (verb) => {
    const workspace = await workspaceNamed();
    const match = { verb, resource: 'persistentvolumeclaims', userAgent: 'evenkeel' };
    const injected = t4.world.server.inject({ match, fault: { status: 503 } });
    await t4.remove(T4Workspaces, workspace);
    expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'retry' });
    expect(await shown(workspace)).toMatchObject({
      Ready: verb === 'get' ? 'Unknown PVCReadFailed' : 'False Terminating',
    });
    expect(await t4.claimOf(workspace)).toBeDefined();
    injected.remove();
    await t4.world.run(10_000);
    expect(await t4.find(T4Workspaces, 'ws')).toBeUndefined();
  });

  it('R-4.5 workspace is removed at once when it never had a claim', async () => {
    const workspace = await t4.create(T4Workspaces, 'bare', {
      spec: { hostRef: 'none', displayName: 'x', owner: 'x', size: '1Gi', retentionPolicy: 'Delete' },
    });
    await t4.pass(T4Workspaces, workspace);
    await t4.remove(T4Workspaces, workspace);
    await t4.pass(T4Workspaces, workspace);
    expect(await t4.find(T4Workspaces, 'bare')).toBeUndefined();
  });

  it('R-4.5 R-4.7 a session that starts between the list and the deletion of the claim is revoked, and keeps the workspace', async () => {
    const workspace = await workspaceNamed();
    // The cluster keeps a claim until no Pod uses it any more.
    await t4.edit(PersistentVolumeClaims, await claimOf(workspace), {
      metadata: { finalizers: ['test.example/in-use'] },
    });
    await t4.remove(T4Workspaces, workspace);
    const { api } = t4.world;
    let late: KubeObject | undefined;
    const deletion: typeof api.delete = async (...args) => {
      late = await t4.runningSession('late');
      return await api.delete(...args);
    };
    await t4.pass(
      T4Workspaces,
      workspace,
      t4.world.worker('w', { clusters: { api: () => withCalls(api, { delete: deletion }) } }),
    );
    expect(late?.status).toMatchObject({ phase: 'Running' });
    const session = late as KubeObject;
    expect((await claimOf(workspace)).metadata.deletionTimestamp).toBeDefined();

    // The pass that the claim's event starts.
    await t4.pass(T4Sessions, session);
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ WorkspaceReady: 'False PVCNotBoundRWX' });
    expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual([undefined, undefined]);
    await t4.edit(PersistentVolumeClaims, await claimOf(workspace), { metadata: { finalizers: null } });
    await t4.pass(T4Workspaces, workspace);
    expect(await shown(workspace)).toMatchObject({ Ready: 'False SessionsRemain' });
    await t4.remove(T4Sessions, session);
    await t4.pass(T4Sessions, session);
    await t4.pass(T4Workspaces, workspace);
    expect(await t4.find(T4Workspaces, 'ws')).toBeUndefined();
    expect(await t4.claimOf(workspace)).toBeUndefined();
  });
});
