import { describe, expect, it } from 'vitest';
import { ABSENT_VERSION, hashedKey } from '../../../lib/core/observation.ts';
import type { Cover } from '../../../lib/ports/state-store.ts';
import { takeLease } from '../../support/take-lease.ts';
import {
  acquired,
  acquireRequest,
  commitRecord,
  committed,
  freshTarget,
  type GetSubject,
  KEEP_UNTIL,
  KIND,
  NOW,
} from './subject.ts';

const LONG_OBJECT = `secrets/${'n'.repeat(63)}/${'a'.repeat(253)}`;

/** An event is already observed when the last committed pass saw every version that it names. */
export function describeCovers(subject: GetSubject): void {
  async function isCovered(cover: Cover, record: Parameters<typeof commitRecord>[0]): Promise<boolean> {
    const { store } = subject();
    const target = freshTarget();
    await committed(store, target, record);
    const before = await store.readTarget(target);
    const state = await takeLease(store, acquireRequest(target, { owner: 'worker-2', cover }));
    if (state === undefined) expect(await store.readTarget(target)).toEqual(before);
    else expect(state.lease?.owner).toBe('worker-2');
    return state === undefined;
  }

  describe('covered events', () => {
    it.each([
      ['the version observed', { version: 10 }, true],
      ['an older version, compared as numbers', { version: 9 }, true],
      ['a newer version, compared as numbers', { version: 100 }, false],
      ['the next version', { version: 11 }, false],
      ['the same version of a newer incarnation', { version: 10, incarnation: 2 }, false],
      ['an older version of an older incarnation', { version: 9, incarnation: 0 }, false],
    ])('R-1.8 an event of the target itself: %s', async (_what, event, covered) => {
      const cover: Cover = { type: 'self', incarnation: 1, ...event };
      expect(await isCovered(cover, { observedVersion: 10 })).toBe(covered);
    });

    it('R-1.8 versions compare exactly up to the largest safe integer', async () => {
      const newest = Number.MAX_SAFE_INTEGER;
      const event: Cover = { type: 'self', incarnation: 1, version: newest };
      expect(await isCovered(event, { observedVersion: newest })).toBe(true);
      expect(await isCovered(event, { observedVersion: newest - 1 })).toBe(false);
    });

    it('R-1.8 nothing covers an event when the pass recorded no observed version', async () => {
      const event: Cover = { type: 'self', incarnation: 1, version: 1 };
      expect(await isCovered(event, {})).toBe(false);
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, { observedVersion: 10 });
      await committed(store, target, {});
      expect((await store.readTarget(target))?.observedVersion).toBeUndefined();
      expect(await takeLease(store, acquireRequest(target, { cover: event }))).toBeDefined();
    });

    it('R-1.8 nothing covers an event of a target that is new', async () => {
      const { store } = subject();
      const covers: Cover[] = [
        { type: 'self', incarnation: 1, version: 1 },
        { type: 'object', incarnation: 1, object: 'secrets/default/a', version: 1 },
      ];
      for (const cover of covers)
        expect(await takeLease(store, acquireRequest(freshTarget(), { cover }))).toBeDefined();
    });

    it.each([
      ['the version read', { version: 10 }, true],
      ['an older version, compared as numbers', { version: 9 }, true],
      ['a newer version', { version: 11 }, false],
      ['a newer version, compared as numbers', { version: 100 }, false],
      ['another incarnation', { version: 9, incarnation: 2 }, false],
      ['an object that was not read', { version: 1, object: 'secrets/default/db' }, false],
      ['an object of the same name and another kind', { version: 1, object: 'configmaps/default/db-1.a' }, false],
      ['an object that was read and found absent', { version: 1, object: 'secrets/default/gone' }, false],
      ['a cluster-scoped object', { version: 7, object: 'clusterhosts.t4.evenkeel.dev//h.1' }, true],
      ['an object with a name of full length', { version: 5, object: LONG_OBJECT }, true],
      ['a newer version of that', { version: 6, object: LONG_OBJECT }, false],
      ['that, named by its hash', { version: 5, object: hashedKey(LONG_OBJECT) }, true],
      ['a newer version of that, named by its hash', { version: 6, object: hashedKey(LONG_OBJECT) }, false],
      ['another object of a name as long, by its hash', { version: 5, object: hashedKey(`${LONG_OBJECT}b`) }, false],
      ['another object of a name as long', { version: 5, object: `${LONG_OBJECT.slice(0, -1)}b` }, false],
    ])('R-1.8 an event of an object that the pass read: %s', async (_what, event, covered) => {
      const cover: Cover = { type: 'object', incarnation: 1, object: 'secrets/default/db-1.a', ...event };
      const versions = {
        'secrets/default/db-1.a': 10,
        'secrets/default/gone': ABSENT_VERSION,
        'clusterhosts.t4.evenkeel.dev//h.1': 7,
        [LONG_OBJECT]: 5,
      };
      expect(await isCovered(cover, { observedVersion: 50, versions })).toBe(covered);
    });

    it.each([
      ['the version observed', {}, true],
      ['an older version', { version: 3 }, true],
      ['a newer version', { version: 11 }, false],
      ['an older version of another incarnation', { version: 3, incarnation: 2 }, false],
      ['an object of that kind with another name', { object: `${KIND}/default/api` }, false],
      ['an object of that kind in another namespace', { object: `${KIND}/other/web` }, false],
      ['an object of that name and another kind', { object: 'secrets/default/web' }, false],
      ['that, named by its hash', { object: hashedKey(`${KIND}/default/web`) }, true],
      ['a newer version of that, named by its hash', { object: hashedKey(`${KIND}/default/web`), version: 11 }, false],
    ])('R-1.2 R-1.8 an event that tells the target of itself as a dependency: %s', async (_what, event, covered) => {
      const cover: Cover = { type: 'object', incarnation: 1, object: `${KIND}/default/web`, version: 10, ...event };
      expect(await isCovered(cover, { observedVersion: 10 })).toBe(covered);
      // The last pass listed the object at an older version than the one that it observed at its end.
      if (!('object' in event))
        expect(await isCovered(cover, { observedVersion: 10, versions: { [cover.object]: 2 } })).toBe(covered);
    });

    it('R-1.28 an event tells the target of itself only under the address that the item records', async () => {
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, { observedVersion: 10 });
      const cover: Cover = { type: 'object', incarnation: 1, object: `${KIND}/default/forged`, version: 3 };
      expect(await takeLease(store, acquireRequest({ ...target, name: 'forged' }, { cover }))).toBeDefined();
    });

    it('R-1.8 what an earlier pass read and the last one did not covers nothing', async () => {
      const { store } = subject();
      const target = freshTarget();
      await committed(store, target, { versions: { 'secrets/default/a': 10 } });
      await committed(store, target, { versions: { 'secrets/default/b': 10 } });
      const cover: Cover = { type: 'object', incarnation: 1, object: 'secrets/default/a', version: 1 };
      expect(await takeLease(store, acquireRequest(target, { cover }))).toBeDefined();
    });

    it('R-5.5 a deadline is covered by a pass that began after it was sent and committed, not by one that crashed', async () => {
      const { store } = subject();
      const target = freshTarget();
      const sentAt = await committed(store, target);
      const cover: Cover = { type: 'due', epoch: sentAt.epoch };
      const crashed = await takeLease(store, acquireRequest(target, { cover, leaseUntilMs: NOW - 1 }));
      expect(crashed?.epoch).toBe(sentAt.epoch + 1);
      const next = await takeLease(store, acquireRequest(target, { cover }));
      expect(next?.epoch).toBe(sentAt.epoch + 2);
      const hold = { target, owner: 'worker-1', epoch: sentAt.epoch + 2 };
      expect(await store.commit(hold, commitRecord())).toBe(true);
      expect(await takeLease(store, acquireRequest(target, { cover }))).toBeUndefined();
    });

    it('R-5.5 I12 a deadline that its first pass left is not covered by the item being new', async () => {
      const { store } = subject();
      const target = freshTarget();
      const crashed = await takeLease(store, acquireRequest(target, { leaseUntilMs: NOW - 1 }));
      const cover: Cover = { type: 'due', epoch: crashed?.epoch ?? 0 };
      expect(await takeLease(store, acquireRequest(target, { cover }))).toBeDefined();
    });

    it('R-5.5 R-1.11 a deadline from before its target was forgotten is covered, and one from after that is not', async () => {
      const { store } = subject();
      const target = freshTarget();
      const hold = await committed(store, target);
      expect(await store.forget(await acquired(store, target), KEEP_UNTIL)).toBe(true);
      const forgottenEpoch = hold.epoch + 1;
      const revived = await acquired(store, target, { forgottenEpoch, leaseUntilMs: NOW - 1 });
      const covered = (epoch: number) => takeLease(store, acquireRequest(target, { cover: { type: 'due', epoch } }));
      expect(await covered(hold.epoch)).toBeUndefined();
      expect(await covered(revived.epoch)).toBeDefined();
    });

    it('R-5.11 a covered event costs one refused write and changes nothing, held or not', async () => {
      const { store, requests, returnsRefusing } = subject();
      const target = freshTarget();
      await committed(store, target, { observedVersion: 10 });
      await acquired(store, target);
      const before = await store.readTarget(target);
      const from = requests.length;
      const cover: Cover = { type: 'self', incarnation: 1, version: 10 };
      expect(await takeLease(store, acquireRequest(target, { owner: 'worker-2', cover }))).toBeUndefined();
      const read = returnsRefusing ? [] : [{ operation: 'GetItem' }];
      expect(requests.slice(from)).toMatchObject([{ operation: 'UpdateItem', refused: true }, ...read]);
      expect(await store.readTarget(target)).toEqual(before);
    });
  });
}
