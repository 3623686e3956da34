import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PersistentVolumeClaims, T4Sessions, T4Workspaces } from '../../../lib/controllers/t4/kinds.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ApiError, type ApiErrorReason } from '../../../lib/ports/cluster-api.ts';
import { withCalls } from './interposed-api.ts';
import { conditionsOf, type T4Fixture } from './t4-fixture.ts';

const HOLD = 'test.example/hold';

/** The deletion of a workspace under each policy, on any API server. */
export function describeWorkspaceEnd(
  server: string,
  newFixture: () => Promise<T4Fixture>,
  dispose: (t4: T4Fixture) => Promise<void> = async () => {},
): void {
  describe(`the end of a workspace on ${server}`, () => {
    let t4: T4Fixture;
    beforeEach(async () => {
      t4 = await newFixture();
      await t4.prepare();
    });
    afterEach(async () => {
      await dispose(t4);
    });

    const claimOf = async (workspace: KubeObject): Promise<KubeObject> => {
      const claim = await t4.claimOf(workspace);
      if (claim === undefined) throw new Error('the workspace has no claim');
      return claim;
    };
    /** The part of a claim that its cluster does not change at a time of its own. */
    const essence = ({ metadata, spec }: KubeObject) => {
      const { uid, labels, annotations, ownerReferences, deletionTimestamp } = metadata;
      return { uid, labels, annotations, ownerReferences, deletionTimestamp, spec };
    };
    const expectUntouched = async (workspace: KubeObject, before: KubeObject) => {
      expect(essence(await claimOf(workspace))).toEqual(essence(before));
      expect(t4.writes.filter((write) => write.includes('persistentvolumeclaims'))).toEqual([]);
    };
    const ready = async (workspace: KubeObject) => (await t4.shown(T4Workspaces, workspace)).Ready;

    /** Runs three more passes, one of them for a duplicate event. Nothing is written. */
    const expectRest = async (workspace: KubeObject) => {
      const before = await t4.read(T4Workspaces, workspace);
      t4.forgetRequests();
      for (let repetition = 0; repetition < 3; repetition += 1) await t4.pass(T4Workspaces, workspace);
      expect((await t4.worker().handle(t4.world.event(T4Workspaces, before))).end).toBe('covered');
      expect(t4.writes).toEqual([]);
      expect(await t4.read(T4Workspaces, workspace)).toEqual(before);
      expect(new Set(conditionsOf(before).map(({ observedGeneration }) => observedGeneration))).toEqual(
        new Set([before.metadata.generation]),
      );
    };

    it.each(['Delete', 'Retain'] as const)(
      'R-4.5 R-1.15 workspace under %s shows SessionsRemain while there is a session, then removes its claim, then itself',
      async (retentionPolicy) => {
        const workspace = await t4.createWorkspace('ending', { retentionPolicy });
        const session = await t4.runningSession('last', { workspaceRef: 'ending' });
        // A cluster does this for a claim that a Pod uses.
        await t4.edit(PersistentVolumeClaims, await claimOf(workspace), { metadata: { finalizers: [HOLD] } });
        const before = await claimOf(workspace);
        await t4.remove(T4Workspaces, workspace);
        t4.forgetRequests();
        await t4.pass(T4Workspaces, workspace);
        expect(await ready(workspace)).toBe('False SessionsRemain');
        await expectUntouched(workspace, before);
        await expectRest(workspace);

        await t4.remove(T4Sessions, session);
        await t4.pass(T4Sessions, session);
        expect(await t4.find(T4Sessions, 'last')).toBeUndefined();
        await t4.pass(T4Workspaces, workspace);
        if (retentionPolicy === 'Retain') {
          expect(await t4.find(T4Workspaces, 'ending')).toBeUndefined();
          const { metadata, spec } = await claimOf(workspace);
          expect(metadata).toMatchObject({
            uid: before.metadata.uid,
            annotations: { 'cluster.t4.dev/retained': 'true' },
          });
          expect(metadata.ownerReferences).toBeUndefined();
          expect(metadata.deletionTimestamp).toBeUndefined();
          expect(spec).toEqual(before.spec);
          return;
        }
        expect(await ready(workspace)).toBe('False Terminating');
        expect((await claimOf(workspace)).metadata.deletionTimestamp).toBeDefined();
        await expectRest(workspace);
        await t4.edit(PersistentVolumeClaims, before, { metadata: { finalizers: null } });
        await t4.pass(T4Workspaces, workspace);
        expect(await t4.find(T4Workspaces, 'ending')).toBeUndefined();
        expect(await t4.claimOf(workspace)).toBeUndefined();
      },
    );

    it.each(['Forbidden', 'Timeout', 'Expired', 'Malformed'] as ApiErrorReason[])(
      'R-4.5 R-1.17 workspace keeps its claim when a list of sessions ends as %s, on its first page or a later one',
      async (failure) => {
        const workspace = await t4.createWorkspace('ending');
        const before = await claimOf(workspace);
        await t4.createSession('of-another');
        await t4.remove(T4Workspaces, workspace);
        for (const failsAt of [1, 2]) {
          const { api } = t4.world;
          let pages = 0;
          const list: typeof api.list = async (type, options) => {
            pages += 1;
            if (pages === failsAt) throw new ApiError(failure, 'no answer');
            return { ...(await api.list(type, options)), items: [], continueToken: 'more' };
          };
          t4.forgetRequests();
          const runner = t4.world.worker('failing', { clusters: { api: () => withCalls(api, { list }) } });
          expect(await t4.pass(T4Workspaces, workspace, runner)).toMatchObject({ outcome: 'retry' });
          expect(await ready(workspace)).toBe(
            failure === 'Forbidden' ? 'Unknown SessionsAccessDenied' : 'Unknown SessionsReadFailed',
          );
          await expectUntouched(workspace, before);
        }
      },
    );

    it('R-4.5 R-4.7 the list contains a session that was created a moment ago', async () => {
      const workspace = await t4.createWorkspace('ending');
      const before = await claimOf(workspace);
      await t4.remove(T4Workspaces, workspace);
      const { api } = t4.world;
      const list: typeof api.list = async (type, options) => {
        await t4.createSession('late', { workspaceRef: 'ending' });
        return await api.list(type, options);
      };
      t4.forgetRequests();
      await t4.pass(
        T4Workspaces,
        workspace,
        t4.world.worker('w', { clusters: { api: () => withCalls(api, { list }) } }),
      );
      expect(await ready(workspace)).toBe('False SessionsRemain');
      await expectUntouched(workspace, before);
    });

    it('R-4.5 R-1.21 workspace stays, and leaves the claim, when the claim belongs to somebody else', async () => {
      const workspace = await t4.createWorkspace('ending');
      await t4.edit(PersistentVolumeClaims, await claimOf(workspace), { metadata: { ownerReferences: null } });
      const foreign = await claimOf(workspace);
      await t4.remove(T4Workspaces, workspace);
      t4.forgetRequests();
      await t4.pass(T4Workspaces, workspace);
      expect(await ready(workspace)).toBe('False CleanupOwnershipConflict');
      await expectUntouched(workspace, foreign);
      await expectRest(workspace);
    });
  });
}
