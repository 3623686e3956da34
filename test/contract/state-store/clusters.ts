import { describe, expect, it } from 'vitest';
import type { StateStore } from '../../../lib/ports/state-store.ts';
import { freshCluster, type GetSubject, NOW } from './subject.ts';

const KIND_A = 'secrets';
const KIND_B = 'secretcontracts.evenkeel.dev';

async function relayOf(store: StateStore, cluster: string) {
  return (await store.readCluster(cluster)).relay;
}

/** What is known of a cluster, and where its relay stands. */
export function describeClusters(subject: GetSubject): void {
  describe('clusters', () => {
    it('R-5.8 a cluster that was never written is in its first incarnation', async () => {
      const cluster = freshCluster();
      const fresh = { cluster, incarnation: 1, restoreCounter: 0, restoreCounterSeen: 0, paused: false };
      expect(await subject().store.readCluster(cluster)).toEqual(fresh);
    });

    it('R-1.10 one relay holds a cluster; renewing keeps its epoch', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const epoch = await store.holdRelay(cluster, 'relay-1', NOW, NOW + 30_000);
      expect(epoch).toBeGreaterThan(0);
      expect(await store.holdRelay(cluster, 'relay-2', NOW + 30_000, NOW + 60_000)).toBeUndefined();
      expect(await store.holdRelay(cluster, 'relay-1', NOW + 10_000, NOW + 40_000)).toBe(epoch);
      expect(await store.readCluster(cluster)).toMatchObject({
        relay: { owner: 'relay-1', epoch, untilMs: NOW + 40_000 },
      });
      expect(await store.holdRelay(cluster, 'relay-2', NOW + 40_000, NOW + 70_000)).toBeUndefined();
    });

    it('R-1.10 a relay takes over from the record that it found expired, with a higher epoch', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const first = (await store.holdRelay(cluster, 'relay-1', NOW, NOW + 30_000)) ?? 0;
      const over = await relayOf(store, cluster);
      const second = (await store.holdRelay(cluster, 'relay-2', NOW, NOW + 30_000, over)) ?? 0;
      expect(second).toBeGreaterThan(first);
      expect(await relayOf(store, cluster)).toMatchObject({ owner: 'relay-2', epoch: second });
      expect(await store.holdRelay(cluster, 'relay-1', NOW + 30_002, NOW + 60_002)).toBeUndefined();
    });

    it.each([
      ['long after its end', NOW + 3_600_000],
      ['a millisecond after its end', NOW + 30_001],
      ['when the clock was set back by ten minutes', NOW - 600_000],
    ])('R-1.29 a hold is not taken %s by a relay that has not watched it', async (_when, nowMs) => {
      const { store } = subject();
      const cluster = freshCluster();
      await store.holdRelay(cluster, 'relay-1', NOW, NOW + 30_000);
      const before = await relayOf(store, cluster);
      expect(await store.holdRelay(cluster, 'relay-2', nowMs, nowMs + 30_000)).toBeUndefined();
      expect(await relayOf(store, cluster)).toEqual(before);
    });

    it('R-1.29 a renewal counts and keeps the hold from a standby that saw the record before, also when the clock stands still', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      await store.holdRelay(cluster, 'relay-1', NOW, NOW + 30_000);
      const over = await relayOf(store, cluster);
      await store.holdRelay(cluster, 'relay-1', NOW, NOW + 30_000);
      expect((await relayOf(store, cluster))?.renewals).toBeGreaterThan(over?.renewals ?? 0);
      expect(await store.holdRelay(cluster, 'relay-2', NOW, NOW + 30_000, over)).toBeUndefined();
      expect((await relayOf(store, cluster))?.owner).toBe('relay-1');
    });

    it('R-1.29 of standbys that found the same record to be over exactly one takes the hold', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      await store.holdRelay(cluster, 'relay-0', NOW, NOW + 30_000);
      const over = await relayOf(store, cluster);
      const owners = Array.from({ length: 10 }, (_, index) => `relay-${index + 1}`);
      const epochs = await Promise.all(owners.map((owner) => store.holdRelay(cluster, owner, NOW, NOW + 30_000, over)));
      expect(epochs.filter((epoch) => epoch !== undefined)).toHaveLength(1);
    });

    it('R-1.29 a record of a hold never comes twice, also when its holder gives it back and takes it again', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      await store.holdRelay(cluster, 'relay-1', NOW, NOW + 30_000);
      const over = await relayOf(store, cluster);
      await store.releaseRelay(cluster, 'relay-1');
      await store.holdRelay(cluster, 'relay-1', NOW, NOW + 30_000);
      expect(await store.holdRelay(cluster, 'relay-2', NOW, NOW + 30_000, over)).toBeUndefined();
    });

    it('R-1.10 of relays that ask at the same moment exactly one holds the cluster', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const owners = Array.from({ length: 10 }, (_, index) => `relay-${index}`);
      const epochs = await Promise.all(owners.map((owner) => store.holdRelay(cluster, owner, NOW, NOW + 30_000)));
      expect(epochs.filter((epoch) => epoch !== undefined)).toHaveLength(1);
    });

    it('R-1.10 a released cluster is free at once, and no epoch is used twice', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const first = (await store.holdRelay(cluster, 'relay-1', NOW, NOW + 30_000)) ?? 0;
      await store.releaseRelay(cluster, 'relay-2');
      expect((await store.readCluster(cluster)).relay?.owner).toBe('relay-1');
      await store.releaseRelay(cluster, 'relay-1');
      expect((await store.readCluster(cluster)).relay).toBeUndefined();
      await store.releaseRelay(cluster, 'relay-1');
      const again = (await store.holdRelay(cluster, 'relay-1', NOW, NOW + 30_000)) ?? 0;
      expect(again).toBeGreaterThan(first);
    });

    it('R-5.8 only the relay that holds a cluster raises its restore counter', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      expect(await store.raiseRestoreCounter(cluster, 1, 0)).toBeUndefined();
      const first = (await store.holdRelay(cluster, 'relay-1', NOW, NOW + 30_000)) ?? 0;
      expect(await store.raiseRestoreCounter(cluster, first, 0)).toBe(1);
      expect(await store.raiseRestoreCounter(cluster, first, 1)).toBe(2);
      const over = await relayOf(store, cluster);
      const second = (await store.holdRelay(cluster, 'relay-2', NOW + 30_001, NOW + 60_000, over)) ?? 0;
      expect(await store.raiseRestoreCounter(cluster, first, 2)).toBeUndefined();
      expect(await store.raiseRestoreCounter(cluster, second, 1)).toBe(3);
      await store.releaseRelay(cluster, 'relay-2');
      expect(await store.raiseRestoreCounter(cluster, second, 3)).toBeUndefined();
      expect(await store.readCluster(cluster)).toMatchObject({ restoreCounter: 3, restoreCounterSeen: 1 });
    });

    it('R-5.8 only the relay that holds a cluster records what of the counter the cluster shows', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const shown = async () => {
        const { restoreCounter, restoreCounterSeen } = await store.readCluster(cluster);
        return `${restoreCounterSeen} of ${restoreCounter}`;
      };
      expect(await store.recordRestoreCounter(cluster, 1, 0)).toBe(false);
      const first = (await store.holdRelay(cluster, 'relay-1', NOW, NOW + 30_000)) ?? 0;
      expect(await store.recordRestoreCounter(cluster, first, 0)).toBe(true);
      expect(await shown()).toBe('0 of 0');
      await store.raiseRestoreCounter(cluster, first, 0);
      expect(await shown()).toBe('0 of 1');
      expect(await store.recordRestoreCounter(cluster, first, 1)).toBe(true);
      expect(await shown()).toBe('1 of 1');
      const over = await relayOf(store, cluster);
      const second = (await store.holdRelay(cluster, 'relay-2', NOW + 30_001, NOW + 60_000, over)) ?? 0;
      expect(await store.recordRestoreCounter(cluster, first, 0)).toBe(false);
      expect(await shown()).toBe('1 of 1');
      expect(await store.recordRestoreCounter(cluster, second, 0)).toBe(true);
      expect(await shown()).toBe('0 of 1');
      await store.releaseRelay(cluster, 'relay-2');
      expect(await store.recordRestoreCounter(cluster, second, 1)).toBe(false);
      expect(await shown()).toBe('0 of 1');
    });

    it('R-5.8 a new incarnation starts once when several relays find the same restore', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      expect(await Promise.all([1, 1, 1].map((from) => store.startIncarnation(cluster, from)))).toEqual([2, 2, 2]);
      expect(await store.startIncarnation(cluster, 1)).toBe(2);
      expect(await store.startIncarnation(cluster, 2)).toBe(3);
      expect((await store.readCluster(cluster)).incarnation).toBe(3);
    });

    it('R-5.8 a new incarnation is newer than any that a relay knows when the table is older than the relay', async () => {
      const { store } = subject();
      const [empty, older] = [freshCluster(), freshCluster()];
      await store.startIncarnation(older, 1);
      for (const cluster of [empty, older]) {
        expect(await store.startIncarnation(cluster, 7)).toBe(8);
        expect(await store.startIncarnation(cluster, 7)).toBe(8);
        expect((await store.readCluster(cluster)).incarnation).toBe(8);
      }
    });

    it('R-5.14 the breaker opens until a time, and closes', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      await store.setBreaker(cluster, NOW + 9_000);
      expect((await store.readCluster(cluster)).breakerOpenUntilMs).toBe(NOW + 9_000);
      await store.setBreaker(cluster, undefined);
      expect(await store.readCluster(cluster)).not.toHaveProperty('breakerOpenUntilMs');
    });

    it('R-6.7 a cluster is paused and resumed', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      await store.setPaused(cluster, true);
      expect((await store.readCluster(cluster)).paused).toBe(true);
      await store.setPaused(cluster, false);
      expect((await store.readCluster(cluster)).paused).toBe(false);
    });

    it('R-6.10 a pause and a resume record who did it, and one without a name removes the record', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const note = { by: 'ann@laptop', atMs: NOW };
      await store.setPaused(cluster, true, note);
      expect(await store.readCluster(cluster)).toMatchObject({ paused: true, pauseNote: note });
      await store.setPaused(cluster, false, { by: 'bob', atMs: NOW + 1 });
      expect((await store.readCluster(cluster)).pauseNote).toEqual({ by: 'bob', atMs: NOW + 1 });
      await store.setPaused(cluster, true);
      expect(await store.readCluster(cluster)).not.toHaveProperty('pauseNote');
    });

    it('R-6.11 store keeps the first halt of a version and each kind its own when rollouts are halted and resumed', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const halt = { version: '2', reason: 'OutsidePlan', message: 'spec.size of widgets a/b', atMs: NOW };
      await store.haltRollout(cluster, KIND_A, halt);
      await store.haltRollout(cluster, KIND_A, { ...halt, message: 'a later write' });
      await store.haltRollout(cluster, KIND_B, { ...halt, reason: 'Failed' });
      expect((await store.readCluster(cluster)).halts).toEqual({
        [KIND_A]: halt,
        [KIND_B]: { ...halt, reason: 'Failed' },
      });
      await store.haltRollout(cluster, KIND_A, { ...halt, version: '3' });
      expect((await store.readCluster(cluster)).halts?.[KIND_A]?.version).toBe('3');
      await store.resumeRollout(cluster, KIND_A);
      expect((await store.readCluster(cluster)).halts).toEqual({ [KIND_B]: { ...halt, reason: 'Failed' } });
      await store.resumeRollout(cluster, KIND_B);
      await store.resumeRollout(cluster, KIND_B);
      expect(await store.readCluster(cluster)).not.toHaveProperty('halts');
    });

    it("R-5.16 the first one to pin a cluster's identity decides it", async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const pinned = await Promise.all(['uid-1', 'uid-2', 'uid-3'].map((uid) => store.pinClusterUid(cluster, uid)));
      expect(new Set(pinned).size).toBe(1);
      expect(await store.pinClusterUid(cluster, 'uid-4')).toBe(pinned[0]);
      expect((await store.readCluster(cluster)).clusterUid).toBe(pinned[0]);
    });

    it("R-5.8 a cluster's properties do not disturb each other", async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const epoch = await store.holdRelay(cluster, 'relay-1', NOW, NOW + 30_000);
      await Promise.all([
        store.startIncarnation(cluster, 1),
        store.setBreaker(cluster, NOW),
        store.setPaused(cluster, true),
        store.pinClusterUid(cluster, 'uid-1'),
        store.raiseRestoreCounter(cluster, epoch ?? 0, 0),
      ]);
      expect(await store.readCluster(cluster)).toEqual({
        cluster,
        incarnation: 2,
        restoreCounter: 1,
        restoreCounterSeen: 0,
        relay: { owner: 'relay-1', epoch, untilMs: NOW + 30_000, renewals: 1 },
        breakerOpenUntilMs: NOW,
        paused: true,
        clusterUid: 'uid-1',
      });
    });
  });

  describe('checkpoints', () => {
    const checkpoint = { incarnation: 2, resourceVersion: '12345', heartbeatMs: NOW };

    it('R-5.7 a checkpoint that was saved is read again, by whoever claims it next too', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      expect(await store.readCheckpoint(cluster, KIND_A)).toBeUndefined();
      expect(await store.claimCheckpoint(cluster, KIND_A, 5)).toEqual({ fenced: false });
      expect(await store.readCheckpoint(cluster, KIND_A)).toBeUndefined();
      expect(await store.saveCheckpoint(cluster, KIND_A, 5, checkpoint)).toBe(true);
      expect(await store.readCheckpoint(cluster, KIND_A)).toEqual(checkpoint);
      expect(await store.claimCheckpoint(cluster, KIND_A, 6)).toEqual({ fenced: false, checkpoint });
      expect(await store.readCheckpoint(cluster, KIND_B)).toBeUndefined();
      expect(await store.readCheckpoint(`${cluster}0`, KIND_A)).toBeUndefined();
    });

    it('R-5.7 once a newer relay claimed a checkpoint, an older one cannot move it', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      await store.saveCheckpoint(cluster, KIND_A, 5, checkpoint);
      await store.claimCheckpoint(cluster, KIND_A, 6);
      expect(await store.saveCheckpoint(cluster, KIND_A, 5, { ...checkpoint, resourceVersion: '9' })).toBe(false);
      expect(await store.claimCheckpoint(cluster, KIND_A, 5)).toEqual({ fenced: true });
      expect(await store.readCheckpoint(cluster, KIND_A)).toEqual(checkpoint);
      expect(await store.saveCheckpoint(cluster, KIND_A, 6, { ...checkpoint, resourceVersion: '20000' })).toBe(true);
      expect((await store.readCheckpoint(cluster, KIND_A))?.resourceVersion).toBe('20000');
    });

    it('R-5.6 claiming and saving twice with one epoch is accepted', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      await store.claimCheckpoint(cluster, KIND_A, 5);
      await store.saveCheckpoint(cluster, KIND_A, 5, checkpoint);
      expect(await store.claimCheckpoint(cluster, KIND_A, 5)).toEqual({ fenced: false, checkpoint });
      expect(await store.saveCheckpoint(cluster, KIND_A, 5, checkpoint)).toBe(true);
    });

    it('R-5.10 kinds have checkpoints of their own', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      await store.saveCheckpoint(cluster, KIND_A, 9, checkpoint);
      expect(await store.claimCheckpoint(cluster, KIND_B, 5)).toEqual({ fenced: false });
      expect(await store.saveCheckpoint(cluster, KIND_B, 5, checkpoint)).toBe(true);
    });
  });
}
