import { describe, expect, it } from 'vitest';
import { dirtyMark } from '../../../lib/core/observation.ts';
import { takeLease } from '../../support/take-lease.ts';
import {
  acquired,
  commitRecord,
  committed,
  dueHints,
  freshTarget,
  type GetSubject,
  KEEP_UNTIL,
  NOW,
} from './subject.ts';

const A = dirtyMark(1, 'secrets/default/a', 10);
const B = dirtyMark(1, 'configmaps/default/b.c-d', 9_007_199_254_740_991);

/** Events that arrive while a pass runs. */
export function describeMarks(subject: GetSubject): void {
  describe('marks of a held target', () => {
    it('R-1.8 a mark joins those before it and replaces the deadline, be it earlier or later', async () => {
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, { dueAtMs: NOW + 1_000, wakeSent: true });
      const hold = await acquired(store, target);
      expect(await store.markHeld(hold, A, NOW + 35_000, NOW)).toBe(true);
      expect(await store.markHeld(hold, B, NOW + 34_000, NOW)).toBe(true);
      expect(await store.markHeld(hold, A, NOW + 36_000, NOW)).toBe(true);
      const state = await store.readTarget(target);
      expect([...(state?.dirty ?? [])].sort()).toEqual([A, B].sort());
      expect(state).toMatchObject({ dueAtMs: NOW + 36_000, wakeSent: true });
      const hints = await dueHints(store, target.cluster, NOW + 60_000);
      expect(hints.map((hint) => hint.dueAtMs)).toEqual([NOW + 36_000]);
    });

    it('R-1.8 a mark keeps a pass from committing, and leaves its lease', async () => {
      const { store } = subject();
      const target = freshTarget();
      const hold = await acquired(store, target);
      await store.markHeld(hold, 'any', NOW + 35_000, NOW);
      const before = await store.readTarget(target);
      expect(await store.commit(hold, commitRecord())).toBe(false);
      expect(await store.commit(hold, commitRecord(), [])).toBe(false);
      expect(await store.forget(hold, KEEP_UNTIL)).toBe(false);
      expect(await store.readTarget(target)).toEqual(before);
    });

    it.each([
      ['in another order', [B, A], true],
      ['named twice', [A, B, A], true],
      ['one of two', [A], false],
      ['one that is not there besides', [A, B, 'any'], false],
      ['another one', [A, dirtyMark(1, 'secrets/default/a', 9)], false],
    ])('R-1.8 a pass commits over exactly the marks it has seen: %s', async (_what, seen, accepted) => {
      const { store } = subject();
      const target = freshTarget();
      const hold = await acquired(store, target);
      await store.markHeld(hold, A, NOW + 35_000, NOW);
      await store.markHeld(hold, B, NOW + 35_000, NOW);
      expect(await store.commit(hold, commitRecord(), seen)).toBe(accepted);
      const state = await store.readTarget(target);
      expect(state?.dirty).toHaveLength(accepted ? 0 : 2);
      expect(state?.lease === undefined).toBe(accepted);
    });

    it('R-1.8 marks seen earlier do not matter when there is none any more', async () => {
      const { store } = subject();
      const hold = await acquired(store, freshTarget());
      expect(await store.commit(hold, commitRecord(), [A])).toBe(true);
    });

    it('R-1.8 a commit that makes the pass run again is accepted over any mark and clears it', async () => {
      const { store } = subject();
      const target = freshTarget();
      const hold = await acquired(store, target);
      await store.markHeld(hold, 'any', NOW + 35_000, NOW);
      expect(await store.commitOverDirty(hold, commitRecord({ dueAtMs: NOW }))).toBe(true);
      expect(await store.readTarget(target)).toMatchObject({ dirty: [], dueAtMs: NOW, committedEpoch: hold.epoch });
    });

    it('R-1.8 an acquire clears the marks and keeps what the last pass recorded', async () => {
      const { store } = subject();
      const target = freshTarget();
      const record = { observedVersion: 3, versions: { 'secrets/default/a': 2 }, edges: ['secrets/default/a'] };
      await committed(store, target, { ...record, values: { step: 2 }, failures: 4 });
      const crashed = await acquired(store, target, { leaseUntilMs: NOW - 1 });
      await store.markHeld(crashed, A, NOW + 5_000, NOW);
      const state = await takeLease(store, {
        target,
        owner: 'worker-2',
        attempt: 'a-2',
        nowMs: NOW,
        leaseUntilMs: NOW + 30_000,
        latestUntilMs: NOW + 30_000 + 4_000,
      });
      expect(state).toMatchObject({ ...record, values: { step: 2 }, failures: 4, dirty: [], dueAtMs: NOW + 5_000 });
    });

    it('R-1.8 of a mark and a commit at the same moment exactly one is accepted', async () => {
      const { store } = subject();
      for (let round = 0; round < 20; round += 1) {
        const target = freshTarget();
        const hold = await acquired(store, target);
        const mark = () => store.markHeld(hold, A, NOW + 35_000, NOW);
        const commit = () => store.commit(hold, commitRecord());
        const order = round % 2 === 0 ? [mark, commit] : [commit, mark];
        const accepted = await Promise.all(order.map((write) => write()));
        expect(accepted.filter(Boolean)).toHaveLength(1);
      }
    });

    it('R-5.6 a mark sent twice is accepted twice and is there once', async () => {
      const { store } = subject();
      const target = freshTarget();
      const hold = await acquired(store, target);
      expect(await store.markHeld(hold, A, NOW + 35_000, NOW)).toBe(true);
      expect(await store.markHeld(hold, A, NOW + 35_000, NOW)).toBe(true);
      expect((await store.readTarget(target))?.dirty).toEqual([A]);
    });
  });
}
