import { describe, expect, it } from 'vitest';
import { refusedBy, takeLease } from '../../support/take-lease.ts';
import {
  acquired,
  acquireRequest,
  commitRecord,
  committed,
  freshTarget,
  type GetSubject,
  KEEP_UNTIL,
  NOW,
} from './subject.ts';

/** Who may hold a target, and what those who no longer do may write. */
export function describeLeases(subject: GetSubject): void {
  describe('leases', () => {
    it('R-1.5 the first acquire of a target takes the lease and starts its epoch from the clock', async () => {
      const target = freshTarget();
      const state = await takeLease(subject().store, acquireRequest(target));
      expect(state).toEqual({
        target,
        lease: { owner: 'worker-1', attempt: 'attempt-1', untilMs: NOW + 30_000 },
        epoch: NOW + 1,
        committedEpoch: NOW,
        dirty: [],
        failures: 0,
        values: {},
        wakeSent: false,
        versions: {},
        edges: [],
      });
      expect(await subject().store.readTarget(target)).toEqual(state);
    });

    it('R-1.5 a target that was never acquired reads as absent', async () => {
      expect(await subject().store.readTarget(freshTarget())).toBeUndefined();
    });

    it.each([
      ['before its end', NOW + 29_999],
      ['at its end', NOW + 30_000],
    ])('R-1.5 a lease refuses every acquire %s, also of its own owner', async (_when, nowMs) => {
      const { store } = subject();
      const target = freshTarget();
      const before = await takeLease(store, acquireRequest(target));
      expect(
        await takeLease(store, acquireRequest(target, { owner: 'worker-2', attempt: 'a-2', nowMs })),
      ).toBeUndefined();
      expect(await takeLease(store, acquireRequest(target, { attempt: 'a-3', nowMs }))).toBeUndefined();
      expect(await store.readTarget(target)).toEqual(before);
    });

    it('R-5.5 a lease that ended is taken over under a higher epoch, and the crashed pass stays uncommitted', async () => {
      const { store } = subject();
      const target = freshTarget();
      const first = await acquired(store, target);
      const taken = await takeLease(
        store,
        acquireRequest(target, {
          owner: 'worker-2',
          attempt: 'a-2',
          nowMs: NOW + 30_001,
          leaseUntilMs: NOW + 60_001,
        }),
      );
      expect(taken).toMatchObject({
        lease: { owner: 'worker-2', attempt: 'a-2', untilMs: NOW + 60_001 },
        epoch: first.epoch + 1,
        committedEpoch: NOW,
      });
    });

    it.each([
      ['set back by ten minutes', NOW - 600_000],
      ['set back by half a minute', NOW - 30_000],
      ['set back by a little more than clocks may differ', NOW - 4_001],
    ])('R-1.29 a lease is taken over when the clock was %s: it ends later than any lease can', async (_how, nowMs) => {
      const { store } = subject();
      const target = freshTarget();
      const first = await acquired(store, target);
      const request = { owner: 'worker-2', attempt: 'a-2', nowMs, leaseUntilMs: nowMs + 30_000 };
      const taken = await takeLease(store, acquireRequest(target, { ...request, expiredEpoch: first.epoch }));
      expect(taken).toMatchObject({ lease: { owner: 'worker-2' }, epoch: first.epoch + 1 });
    });

    it.each([
      ['ten minutes', 600_000],
      ['a minute', 60_000],
      ['a little more than clocks may differ', 4_001],
    ])('R-1.5 an acquire that was under way for %s takes no lease that began meanwhile', async (_how, lateMs) => {
      const { store } = subject();
      const target = freshTarget();
      const judged = await acquired(store, target, { nowMs: NOW - lateMs, leaseUntilMs: NOW - 1 });
      const holder = await takeLease(store, acquireRequest(target, { owner: 'worker-2', attempt: 'a-2' }));
      const nowMs = NOW - lateMs;
      const late = { owner: 'worker-3', attempt: 'a-3', nowMs, leaseUntilMs: nowMs + 30_000 };
      expect(await takeLease(store, acquireRequest(target, late))).toBeUndefined();
      expect(await takeLease(store, acquireRequest(target, { ...late, expiredEpoch: judged.epoch }))).toBeUndefined();
      expect(await store.readTarget(target)).toEqual(holder);
    });

    it.each([
      ['as much as clocks may differ', NOW - 4_000],
      ['less than clocks may differ', NOW - 1_500],
    ])('R-1.29 a lease refuses an acquire with a clock that is behind by %s', async (_how, nowMs) => {
      const { store } = subject();
      const target = freshTarget();
      const before = await takeLease(store, acquireRequest(target));
      const request = { owner: 'worker-2', attempt: 'a-2', nowMs, leaseUntilMs: nowMs + 30_000 };
      expect(await takeLease(store, acquireRequest(target, request))).toBeUndefined();
      expect(await store.readTarget(target)).toEqual(before);
    });

    it('R-1.29 whoever lost its lease to a clock that was set back can write nothing', async () => {
      const { store } = subject();
      const target = freshTarget();
      const lost = await acquired(store, target);
      const nowMs = NOW - 600_000;
      const expiredEpoch = lost.epoch;
      await acquired(store, target, { owner: 'worker-2', nowMs, leaseUntilMs: nowMs + 30_000, expiredEpoch });
      await expectNothingWritten(subject, lost);
    });

    it('R-1.5 of acquires at the same moment exactly one wins', async () => {
      const { store } = subject();
      const target = freshTarget();
      const owners = Array.from({ length: 20 }, (_, index) => `worker-${index}`);
      const states = await Promise.all(owners.map((owner) => takeLease(store, acquireRequest(target, { owner }))));
      expect(states.filter((state) => state !== undefined)).toHaveLength(1);
      const takeovers = await Promise.all(
        owners.map((owner) =>
          takeLease(store, acquireRequest(target, { owner, nowMs: NOW + 40_000, leaseUntilMs: NOW + 70_000 })),
        ),
      );
      const winners = takeovers.filter((state) => state !== undefined);
      expect(winners).toHaveLength(1);
      expect(winners[0]?.epoch).toBe(NOW + 2);
      expect((await store.readTarget(target))?.lease).toEqual(winners[0]?.lease);
    });

    it('R-5.6 an acquire that is sent twice is refused the second time by its own lease', async () => {
      const { store } = subject();
      const target = freshTarget();
      const request = acquireRequest(target);
      const state = await takeLease(store, request);
      expect(await refusedBy(store, request)).toEqual({ type: 'known', state });
      expect(await store.readTarget(target)).toEqual(state);
    });

    it('R-5.11 a refused acquire returns the item that refused it, in the one request', async () => {
      const { store, requests, returnsRefusing } = subject();
      const target = freshTarget();
      await committed(store, target, { observedVersion: 10, versions: { 'secrets/default/a': 5 } });
      const idle = await store.readTarget(target);
      const cover = { type: 'self', incarnation: 1, version: 10 } as const;
      const before = requests.length;
      expect(await refusedBy(store, acquireRequest(target, { cover }))).toEqual({ type: 'known', state: idle });
      const hold = await acquired(store, target);
      await store.markHeld(hold, 'any', NOW + 35_000, NOW);
      const held = await store.readTarget(target);
      const other = acquireRequest(target, { owner: 'worker-2', attempt: 'a-2' });
      expect(await refusedBy(store, other)).toEqual({ type: 'known', state: held });
      const refusal = [
        { operation: 'UpdateItem', refused: true },
        ...(returnsRefusing ? [] : [{ operation: 'GetItem' }]),
      ];
      const marked = [{ operation: 'UpdateItem' }, { operation: 'UpdateItem' }, { operation: 'GetItem' }];
      expect(requests.slice(before)).toMatchObject([...refusal, ...marked, ...refusal]);
    });

    it('R-1.5 a commit gives the lease back: the next acquire needs no time to pass', async () => {
      const { store } = subject();
      const target = freshTarget();
      const first = await committed(store, target);
      expect((await store.readTarget(target))?.lease).toBeUndefined();
      const second = await acquired(store, target, { owner: 'worker-2' });
      expect(second.epoch).toBe(first.epoch + 1);
    });

    it('R-1.5 whoever lost its lease can write nothing', async () => {
      const { store } = subject();
      const target = freshTarget();
      const lost = await acquired(store, target);
      await acquired(store, target, { owner: 'worker-2', nowMs: NOW + 30_001, leaseUntilMs: NOW + 60_001 });
      await expectNothingWritten(subject, lost);
    });

    it.each([
      ['another owner of the same epoch', { owner: 'worker-2' }],
      ['the same owner of an older epoch', { epoch: NOW }],
      ['the same owner of a newer epoch', { epoch: NOW + 2 }],
    ])('R-1.5 %s can write nothing', async (_who, difference) => {
      const target = freshTarget();
      const hold = await acquired(subject().store, target);
      await expectNothingWritten(subject, { ...hold, ...difference });
    });

    it('R-1.5 after its commit a pass can write nothing more', async () => {
      const target = freshTarget();
      const hold = await committed(subject().store, target);
      await expectNothingWritten(subject, hold);
    });

    it('R-5.5 a holder whose lease ended may still commit as long as nobody took over', async () => {
      const { store } = subject();
      const target = freshTarget();
      const hold = await acquired(store, target, { leaseUntilMs: NOW - 1 });
      expect(await store.commit(hold, commitRecord())).toBe(true);
    });

    it('R-1.8 a new attempt keeps lease and epoch and clears the marks', async () => {
      const { store } = subject();
      const target = freshTarget();
      const hold = await acquired(store, target);
      await store.markHeld(hold, 'any', NOW + 35_000, NOW);
      const renewed = await store.renewAttempt(hold, 'attempt-2');
      expect(renewed).toMatchObject({
        lease: { owner: hold.owner, attempt: 'attempt-2', untilMs: NOW + 30_000 },
        epoch: hold.epoch,
        dirty: [],
        dueAtMs: NOW + 35_000,
      });
      expect(await store.readTarget(target)).toEqual(renewed);
    });

    it('R-5.11 acquire and commit are one write each, and a refused acquire is one refused write', async () => {
      const { store, requests, returnsRefusing } = subject();
      const target = freshTarget();
      const from = requests.length;
      const hold = await acquired(store, target);
      await store.acquire(acquireRequest(target));
      await store.commit(hold, commitRecord());
      const sent = requests.slice(from).map(({ operation, refused = false }) => [operation, refused]);
      expect(sent).toEqual([
        ['UpdateItem', false],
        ['UpdateItem', true],
        ...(returnsRefusing ? [] : [['GetItem', false]]),
        ['UpdateItem', false],
      ]);
    });
  });
}

async function expectNothingWritten(subject: GetSubject, hold: Awaited<ReturnType<typeof acquired>>): Promise<void> {
  const { store } = subject();
  const before = await store.readTarget(hold.target);
  expect(await store.markHeld(hold, 'any', NOW + 90_000, NOW)).toBe(false);
  expect(await store.renewAttempt(hold, 'attempt-9')).toBeUndefined();
  expect(await store.saveValues(hold, { secret: 'changed' })).toBe(false);
  expect(await store.commit(hold, commitRecord({ failures: 9 }))).toBe(false);
  expect(await store.commit(hold, commitRecord({ failures: 9 }), ['any'])).toBe(false);
  expect(await store.commitOverDirty(hold, commitRecord({ failures: 9 }))).toBe(false);
  const deferral = { dueAtMs: NOW + 1, dueSetAtMs: NOW, wakeSent: true, lastOutcome: commitRecord().lastOutcome };
  expect(await store.defer(hold, deferral)).toBe(false);
  expect(await store.forget(hold, KEEP_UNTIL)).toBe(false);
  expect(await store.readTarget(hold.target)).toEqual(before);
}
