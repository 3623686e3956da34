import { beforeEach, describe, expect, it } from 'vitest';
import { claimName } from '../../../../lib/controllers/t4/child-name.ts';
import {
  PersistentVolumeClaims,
  T4ClusterHosts,
  T4Sessions,
  T4Workspaces,
} from '../../../../lib/controllers/t4/kinds.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { conditionsOf, T4Fixture } from '../t4-fixture.ts';

let t4: T4Fixture;
beforeEach(async () => {
  t4 = await T4Fixture.embedded();
});

const shown = (workspace: KubeObject) => t4.shown(T4Workspaces, workspace);
async function claimOf(workspace: KubeObject): Promise<KubeObject> {
  const claim = await t4.claimOf(workspace);
  if (claim === undefined) throw new Error('the workspace has no claim');
  return claim;
}

/** A workspace whose bound, recorded claim is then deleted by somebody else. */
async function loseClaim(retentionPolicy: string): Promise<{ workspace: KubeObject; lost: KubeObject }> {
  const workspace = await t4.prepare({ retentionPolicy });
  const lost = await claimOf(workspace);
  await t4.erase(PersistentVolumeClaims, lost);
  return { workspace, lost };
}

const forgetValues = (workspace: KubeObject) => t4.passThatLeaves(T4Workspaces, workspace, {});

/** Edits of the status by people and tools while the claim is gone. */
const STATUS_EDITS: [string, (workspace: KubeObject) => Promise<unknown>][] = [
  ['nobody edits the status', async () => {}],
  [
    'the recorded claim is taken out of the status',
    (workspace) => t4.edit(T4Workspaces, workspace, { status: { pvcUID: null, pvcName: null } }, 'status'),
  ],
  [
    'the status calls the claim pending',
    (workspace) => t4.edit(T4Workspaces, workspace, { status: { pvcPhase: 'Pending' } }, 'status'),
  ],
  ['the status is emptied', (workspace) => t4.edit(T4Workspaces, workspace, { status: null }, 'status')],
];

describe.each(['Retain', 'Delete'])('a workspace under %s whose bound claim vanished', (retentionPolicy) => {
  it.each(STATUS_EDITS)('R-4.12 workspace reports DataMissing and creates no claim when %s', async (_, editStatus) => {
    const { workspace, lost } = await loseClaim(retentionPolicy);
    await editStatus(workspace);
    expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'settled' });
    await t4.world.run(60_000);
    expect(await shown(workspace)).toMatchObject({ StorageReady: 'False DataMissing', Ready: 'False DataMissing' });
    expect(await t4.claimOf(workspace)).toBeUndefined();
    const { status } = await t4.read(T4Workspaces, workspace);
    expect(status).toMatchObject({ phase: 'Failed', pvcUID: lost.metadata.uid, pvcPhase: 'Lost' });
    const ready = conditionsOf(await t4.read(T4Workspaces, workspace)).find(({ type }) => type === 'Ready');
    expect(ready?.message).toContain(`cluster.t4.dev/rebuild=${lost.metadata.uid}`);
    t4.forgetRequests();
    await t4.pass(T4Workspaces, workspace);
    expect(t4.writes).toEqual([]);
  });

  it('R-4.12 session is revoked when the claim of its workspace vanished', async () => {
    const workspace = await t4.prepare({ retentionPolicy });
    const session = await t4.runningSession();
    await t4.erase(PersistentVolumeClaims, await claimOf(workspace));
    await t4.pass(T4Workspaces, workspace);
    await t4.pass(T4Sessions, session);
    await t4.world.run(60_000);
    expect([await t4.podOf(session), await t4.serviceOf(session)]).toEqual([undefined, undefined]);
    expect(await t4.shown(T4Sessions, session)).toMatchObject({ WorkspaceReady: 'False PVCNotFound' });
  });

  it.each(['', 'true', 'another-uid'])('R-4.12 workspace creates no claim when rebuild says "%s"', async (rebuild) => {
    const { workspace } = await loseClaim(retentionPolicy);
    await t4.edit(T4Workspaces, workspace, { metadata: { annotations: { 'cluster.t4.dev/rebuild': rebuild } } });
    await t4.pass(T4Workspaces, workspace);
    await t4.world.run(60_000);
    expect(await t4.claimOf(workspace)).toBeUndefined();
    expect(await shown(workspace)).toMatchObject({ Ready: 'False DataMissing' });
  });

  it('R-4.12 workspace creates one claim when rebuild names the lost one, and keeps that one too', async () => {
    const { workspace, lost } = await loseClaim(retentionPolicy);
    const annotations = { 'cluster.t4.dev/rebuild': lost.metadata.uid };
    await t4.edit(T4Workspaces, workspace, { metadata: { annotations } });
    await t4.pass(T4Workspaces, workspace);
    await t4.world.run(5_000);
    const second = await claimOf(workspace);
    expect(second.metadata.uid).not.toBe(lost.metadata.uid);
    await t4.bind(workspace);
    await t4.pass(T4Workspaces, workspace);
    expect(await shown(workspace)).toMatchObject({ Ready: 'True WorkspaceReady' });

    // The annotation stays: it names the first claim, and permits nothing for the second.
    await t4.erase(PersistentVolumeClaims, second);
    await t4.pass(T4Workspaces, workspace);
    await t4.world.run(60_000);
    expect(await t4.claimOf(workspace)).toBeUndefined();
    expect((await t4.read(T4Workspaces, workspace)).status).toMatchObject({ pvcUID: second.metadata.uid });
  });

  it('R-4.12 workspace takes no other claim of its own until rebuild names the lost one', async () => {
    const { workspace, lost } = await loseClaim(retentionPolicy);
    await t4.edit(T4Workspaces, workspace, { status: { pvcUID: null, pvcName: null } }, 'status');
    const { labels = {}, annotations = {}, ownerReferences = [] } = lost.metadata;
    const restored = await t4.create(PersistentVolumeClaims, claimName(workspace.metadata), {
      metadata: { labels, annotations, ...(ownerReferences.length > 0 && { ownerReferences }) },
      spec: lost.spec as object,
    } as never);
    await t4.bindClaim(restored);
    await t4.pass(T4Workspaces, workspace);
    expect(await shown(workspace)).toMatchObject({ Ready: 'False DataMissing' });

    await t4.edit(T4Workspaces, workspace, {
      metadata: { annotations: { 'cluster.t4.dev/rebuild': lost.metadata.uid } },
    });
    await t4.pass(T4Workspaces, workspace);
    await t4.world.run(5_000);
    expect(await shown(workspace)).toMatchObject({ Ready: 'True WorkspaceReady' });
    expect((await claimOf(workspace)).metadata.uid).toBe(restored.metadata.uid);
  });

  it.each([
    ['names the substitute', (uid: string) => ({ pvcUID: uid })],
    ['names the substitute as bound', (uid: string) => ({ pvcUID: uid, pvcPhase: 'Bound' })],
    ['is replaced as a whole by one that names the substitute', (uid: string) => ({ pvcUID: uid, conditions: null })],
  ])(
    'R-4.12 workspace takes no substitute for its lost claim when a user edits the status so that it %s',
    async (_, edit) => {
      const { workspace, lost } = await loseClaim(retentionPolicy);
      const { labels = {}, annotations = {}, ownerReferences = [] } = lost.metadata;
      const substitute = await t4.create(PersistentVolumeClaims, claimName(workspace.metadata), {
        metadata: { labels, annotations, ...(ownerReferences.length > 0 && { ownerReferences }) },
        spec: lost.spec as object,
      } as never);
      await t4.bindClaim(substitute);
      await t4.edit(T4Workspaces, workspace, { status: edit(substitute.metadata.uid) }, 'status');
      await t4.pass(T4Workspaces, workspace);
      await t4.world.run(60_000);
      expect(await shown(workspace)).toMatchObject({ StorageReady: 'False DataMissing', Ready: 'False DataMissing' });
      expect((await t4.read(T4Workspaces, workspace)).status).toMatchObject({ pvcUID: lost.metadata.uid });
    },
  );

  it.each(['Bound', 'Lost', undefined])(
    'R-4.12 R-6.8 workspace reports DataMissing when the previous release left only a status that says %s',
    async (pvcPhase) => {
      const workspace = await t4.prepare({ retentionPolicy });
      const claim = await claimOf(workspace);
      await forgetValues(workspace);
      await t4.edit(T4Workspaces, workspace, { status: { pvcPhase: pvcPhase ?? null } }, 'status');
      await t4.erase(PersistentVolumeClaims, claim);
      await t4.pass(T4Workspaces, workspace);
      await t4.world.run(60_000);
      expect(await t4.claimOf(workspace)).toBeUndefined();
      expect(await shown(workspace)).toMatchObject({ Ready: 'False DataMissing' });
    },
  );

  it.each([
    ['named its claim in the status under our name', {}],
    ['named it as bound', { pvcPhase: 'Bound' }],
    ['named it as pending', { pvcPhase: 'Pending' }],
  ])(
    'R-4.12 R-6.8 workspace takes the claim of a release without lost claims only when a person accepts the loss, although it %s',
    async (_, edit) => {
      const { workspace, lost } = await loseClaim(retentionPolicy);
      await forgetValues(workspace);
      await t4.edit(T4Workspaces, workspace, { status: null }, 'status');
      await t4.pass(T4Workspaces, workspace);
      await t4.bind(workspace);
      await t4.pass(T4Workspaces, workspace);
      await t4.edit(T4Workspaces, workspace, { status: edit }, 'status');
      const second = await claimOf(workspace);
      // The older release did not change it.
      await t4.passThatLeaves(T4Workspaces, workspace, { boundClaim: lost.metadata.uid });
      await t4.pass(T4Workspaces, workspace);
      expect(await shown(workspace)).toMatchObject({ StorageReady: 'False DataMissing', Ready: 'False DataMissing' });
      expect((await claimOf(workspace)).metadata.uid).toBe(second.metadata.uid);
      const annotations = { 'cluster.t4.dev/rebuild': lost.metadata.uid };
      await t4.edit(T4Workspaces, workspace, { metadata: { annotations } });
      await t4.pass(T4Workspaces, workspace);
      await t4.world.run(5_000);
      expect(await shown(workspace)).toMatchObject({ Ready: 'True WorkspaceReady' });
      expect((await claimOf(workspace)).metadata.uid).toBe(second.metadata.uid);
    },
  );

  it('R-4.12 workspace is deleted when its claim is lost', async () => {
    const { workspace } = await loseClaim(retentionPolicy);
    await t4.pass(T4Workspaces, workspace);
    await t4.remove(T4Workspaces, workspace);
    await t4.pass(T4Workspaces, workspace);
    await t4.world.run(5_000);
    expect(await t4.find(T4Workspaces, 'ws')).toBeUndefined();
  });

  it('R-4.12 workspace that lost its claim creates none when its host disappears and comes back', async () => {
    const { workspace } = await loseClaim(retentionPolicy);
    const host = await t4.named(T4ClusterHosts, 'host');
    await t4.erase(T4ClusterHosts, host);
    await t4.pass(T4Workspaces, workspace);
    await t4.create(T4ClusterHosts, 'host', { spec: host.spec as object } as never);
    await t4.pass(T4Workspaces, workspace);
    expect(await t4.claimOf(workspace)).toBeUndefined();
    expect(await shown(workspace)).toMatchObject({ Ready: 'False DataMissing' });
  });

  it('R-4.12 R-1.17 workspace keeps its record when the claim cannot be read', async () => {
    const { workspace, lost } = await loseClaim(retentionPolicy);
    const injected = t4.world.server.inject({
      match: { verb: 'get', resource: 'persistentvolumeclaims', userAgent: 'evenkeel' },
      fault: { status: 504 },
    });
    expect(await t4.pass(T4Workspaces, workspace)).toMatchObject({ outcome: 'retry' });
    injected.remove();
    await t4.pass(T4Workspaces, workspace);
    expect((await t4.read(T4Workspaces, workspace)).status).toMatchObject({ pvcUID: lost.metadata.uid });
    expect(await shown(workspace)).toMatchObject({ Ready: 'False DataMissing' });
  });
});
