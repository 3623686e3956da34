import { describe, expect, it } from 'vitest';
import { shardOf } from '../../../lib/core/hash.ts';
import type { DueHint, PollKey } from '../../../lib/ports/state-store.ts';
import {
  acquired,
  allPages,
  commitRecord,
  committed,
  dueHints,
  freshCluster,
  freshTarget,
  type GetSubject,
  inParallel,
  KEEP_UNTIL,
  NOW,
  uidInShard,
} from './subject.ts';

/** Deadlines are durable and found by the index over them. */
export function describeDeadlines(subject: GetSubject): void {
  describe('deadlines', () => {
    it('R-1.25 finds the deadlines of a shard that have come, earliest first', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      const dueAts = [NOW + 3, NOW + 1, NOW + 10, NOW + 2, NOW - 5, NOW + 2];
      await inParallel(dueAts, (dueAtMs) =>
        committed(store, freshTarget({ cluster, uid: uidInShard(0, store.shards) }), { dueAtMs }),
      );
      const hints: DueHint[] = [];
      for await (const hint of allPages((after) => store.due(0, NOW + 3, after))) hints.push(hint);
      const own = hints.filter((hint) => hint.type === 'target' && hint.target.cluster === cluster);
      expect(own.map(({ dueAtMs }) => dueAtMs)).toEqual([NOW - 5, NOW + 1, NOW + 2, NOW + 2, NOW + 3]);
    });

    it('R-1.25 a deadline lies in exactly one shard and names its target', async () => {
      const { store } = subject();
      const target = freshTarget({ kind: 'secrets' });
      await committed(store, target, { dueAtMs: NOW });
      const { cluster, kind, uid } = target;
      expect(await dueHints(store, cluster, NOW)).toEqual([
        { type: 'target', target: { cluster, kind, uid }, dueAtMs: NOW },
      ]);
    });

    it('R-1.25 a target without a deadline is not found, be it new, committed without one, or forgotten', async () => {
      const { store } = subject();
      const cluster = freshCluster();
      await acquired(store, freshTarget({ cluster }));
      const cleared = freshTarget({ cluster });
      await committed(store, cleared, { dueAtMs: NOW });
      await committed(store, cleared);
      const forgotten = freshTarget({ cluster });
      await committed(store, forgotten, { dueAtMs: NOW });
      await store.forget(await acquired(store, forgotten), KEEP_UNTIL);
      expect(await dueHints(store, cluster, NOW + 1e9)).toEqual([]);
    });

    it('R-1.25 a deadline stays found while a pass runs that was started before it', async () => {
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, { dueAtMs: NOW });
      await acquired(store, target);
      expect(await dueHints(store, target.cluster, NOW)).toHaveLength(1);
    });

    it('R-1.25 a pass that is put off is found at its new deadline only', async () => {
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, { dueAtMs: NOW });
      const hold = await acquired(store, target);
      await store.defer(hold, {
        dueAtMs: NOW + 9,
        dueSetAtMs: NOW,
        wakeSent: false,
        lastOutcome: commitRecord().lastOutcome,
      });
      const hints = await dueHints(store, target.cluster, NOW + 9);
      expect(hints.map(({ dueAtMs }) => dueAtMs)).toEqual([NOW + 9]);
    });

    it('R-5.5 the sweep moves on the deadline that it sent, to where no wake was sent for, and nothing else of the item', async () => {
      const { store } = subject();
      const target = freshTarget();
      const { epoch } = await committed(store, target, {
        dueAtMs: NOW,
        dueSetAtMs: NOW,
        wakeSent: true,
        observedVersion: 3,
      });
      const before = await store.readTarget(target);
      expect(await store.pushDue(target, { dueAtMs: NOW, epoch }, NOW + 120_000, NOW + 5_000)).toBe(true);
      expect(await store.readTarget(target)).toEqual({
        ...before,
        dueAtMs: NOW + 120_000,
        dueSetAtMs: NOW + 5_000,
        wakeSent: false,
      });
      const hints = await dueHints(store, target.cluster, NOW + 120_000);
      expect(hints.map(({ dueAtMs }) => dueAtMs)).toEqual([NOW + 120_000]);
    });

    it('R-1.29 every write that sets a timer records when: commit, mark, push, put off, and commit over marks', async () => {
      const { store } = subject();
      const target = freshTarget();
      const setAt = async () => {
        const { dueAtMs = 0, dueSetAtMs } = (await store.readTarget(target)) ?? {};
        return [dueAtMs - NOW, dueSetAtMs === undefined ? undefined : dueSetAtMs - NOW];
      };
      await committed(store, target, { dueAtMs: NOW + 1_000, dueSetAtMs: NOW + 1 });
      expect(await setAt()).toEqual([1_000, 1]);
      let hold = await acquired(store, target);
      await store.markHeld(hold, 'any', NOW + 2_000, NOW + 2);
      expect(await setAt()).toEqual([2_000, 2]);
      await store.pushDue(target, { dueAtMs: NOW + 2_000, epoch: hold.epoch }, NOW + 3_000, NOW + 3);
      expect(await setAt()).toEqual([3_000, 3]);
      await store.commitOverDirty(hold, commitRecord({ dueAtMs: NOW + 4_000, dueSetAtMs: NOW + 4 }));
      expect(await setAt()).toEqual([4_000, 4]);
      hold = await acquired(store, target);
      expect(await setAt()).toEqual([4_000, 4]);
      const { lastOutcome } = commitRecord();
      await store.defer(hold, { dueAtMs: NOW + 5_000, dueSetAtMs: NOW + 5, wakeSent: true, lastOutcome });
      expect(await setAt()).toEqual([5_000, 5]);
    });

    it('R-1.29 a removed timer also removes the time at which it was set', async () => {
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, { dueAtMs: NOW + 1_000, dueSetAtMs: NOW });
      await committed(store, target);
      expect(await store.readTarget(target)).not.toHaveProperty('dueSetAtMs');
      await committed(store, target, { dueAtMs: NOW + 1_000 });
      expect(await store.readTarget(target)).not.toHaveProperty('dueSetAtMs');
    });

    it('R-5.6 a push sent twice is refused the second time', async () => {
      const { store } = subject();
      const target = freshTarget();
      const { epoch } = await committed(store, target, { dueAtMs: NOW });
      expect(await store.pushDue(target, { dueAtMs: NOW, epoch }, NOW + 120_000, NOW)).toBe(true);
      expect(await store.pushDue(target, { dueAtMs: NOW, epoch }, NOW + 120_000, NOW)).toBe(false);
    });

    it('R-5.5 the sweep does not move a deadline of another time', async () => {
      const { store } = subject();
      const target = freshTarget();
      const { epoch } = await committed(store, target, { dueAtMs: NOW + 1 });
      expect(await store.pushDue(target, { dueAtMs: NOW, epoch }, NOW + 120_000, NOW)).toBe(false);
      expect((await store.readTarget(target))?.dueAtMs).toBe(NOW + 1);
    });

    it('R-5.5 the sweep does not move a new deadline of the same millisecond', async () => {
      const { store } = subject();
      const target = freshTarget();
      const { epoch } = await committed(store, target, { dueAtMs: NOW });
      await committed(store, target, { dueAtMs: NOW });
      expect(await store.pushDue(target, { dueAtMs: NOW, epoch }, NOW + 120_000, NOW)).toBe(false);
      expect((await store.readTarget(target))?.dueAtMs).toBe(NOW);
    });

    it('R-5.5 the sweep creates no item for a target that is gone', async () => {
      const { store } = subject();
      const target = freshTarget();
      expect(await store.pushDue(target, { dueAtMs: NOW, epoch: NOW }, NOW + 1, NOW)).toBe(false);
      expect(await store.readTarget(target)).toBeUndefined();
    });

    it('R-5.11 says of a write whether it may write the index', async () => {
      const { store, requests } = subject();
      const target = freshTarget();
      await committed(store, target, { dueAtMs: NOW });
      const from = requests.length;
      const hold = await acquired(store, target);
      await store.saveValues(hold, { a: 1 });
      await store.commit(hold, commitRecord({ dueAtMs: NOW + 1 }));
      expect(requests.slice(from).map(({ deadline = false }) => deadline)).toEqual([false, false, true]);
    });

    it('R-1.25 more deadlines than a page holds are read to their end, in order', async () => {
      const { store } = subject();
      // Keys nearly as long as the table takes: a page holds 1 MB.
      const longNames = { group: 'secret-contract', kind: 'k'.repeat(1_900), namespace: 'default' };
      const polls: PollKey[] = [];
      for (let index = 0; polls.length < 450; index += 1) {
        const name = `${'n'.repeat(900)}${index}`;
        if (shardOf(`default/${name}`, store.shards) === 0) polls.push({ cluster: 'paged', ...longNames, name });
      }
      // Long before the deadlines of all other tests.
      const longAgo = NOW - 1e12;
      await inParallel(polls, (poll) => store.touchPoll(poll, longAgo, 30_000 + (Number(poll.name.slice(900)) % 977)));
      expect((await store.due(0, longAgo + 60_000)).next).toBeDefined();
      const dueAts: number[] = [];
      for await (const hint of allPages((after) => store.due(0, longAgo + 60_000, after))) dueAts.push(hint.dueAtMs);
      expect(dueAts).toHaveLength(polls.length);
      expect(dueAts).toEqual(dueAts.toSorted((a, b) => a - b));
    });
  });
}
