import { describe, expect, it } from 'vitest';
import type { SkinnyEvent } from '../../../../lib/core/event.ts';
import { DEFAULT_LEASE_TIMINGS } from '../../../../lib/core/lease.ts';
import type { CommitRecord } from '../../../../lib/ports/state-store.ts';
import { eventOf } from '../../../../lib/testing/event-of.ts';
import { Deadlines } from '../../../../lib/testing/simulation/invariants/deadlines.ts';
import type { Attempt, PassRecord, TargetRecord } from '../../../../lib/testing/simulation/invariants/pass-record.ts';
import { type ObservedCall, SimulatedProcess } from '../../../../lib/testing/simulation/process.ts';
import { Scheduler } from '../../../../lib/testing/simulation/scheduler.ts';
import { Trace } from '../../../../lib/testing/simulation/trace.ts';

const DUE_MS = 100_000;
const { leaseMs, clockSkewMs } = DEFAULT_LEASE_TIMINGS;
/** Later than the timer's pass may begin, and earlier than the lease of a pass that just began would expire. */
const LATE_MS = DUE_MS + 20_000;

const EVENT: SkinnyEvent = {
  v: 1,
  cluster: 'test',
  kind: 'things.test',
  uid: 'uid-1',
  namespace: 'default',
  name: 'one',
  incarnation: 1,
  cause: 'due',
  at: DUE_MS,
  dueAt: DUE_MS,
  epoch: 1,
};
const UPDATED: SkinnyEvent = eventOf(EVENT, { resourceVersion: '1', at: DUE_MS });

/** The checker in steady state, for a target whose last pass set a timer. */
function watchDeadline() {
  let nowMs = 0;
  const violations: string[] = [];
  const deadlines = new Deadlines(
    (invariant, what) => violations.push(`${invariant} ${what}`),
    DEFAULT_LEASE_TIMINGS,
    () => nowMs,
    () => false,
    () => 1,
  );
  deadlines.beginSteadyState();
  const acquire = (atMs: number, event = EVENT): PassRecord => {
    nowMs = atMs;
    const process = new SimulatedProcess(new Scheduler(1, new Trace(), atMs), 'worker');
    const [untilMs, leaseUntilMs] = [atMs + leaseMs, atMs + leaseMs];
    const scope = { process, event };
    const pass = { target: EVENT, scope, epoch: 1, startedAtMs: atMs, untilMs, leaseUntilMs };
    const record: PassRecord = { ...pass, attempts: [], marks: [], calls: 0 };
    deadlines.acquired(record);
    return record;
  };
  const commit = (atMs: number, pass: PassRecord, dueAtMs: number | undefined) => {
    nowMs = atMs;
    deadlines.committed({ pass } as Attempt, {} as TargetRecord, { dueAtMs } as CommitRecord);
  };
  const check = (atMs: number) => {
    nowMs = atMs;
    deadlines.checkOverdue(Number.NEGATIVE_INFINITY);
    return violations;
  };
  commit(1_000, acquire(0, UPDATED), DUE_MS);
  return { deadlines, violations, acquire, commit, check };
}

const overdue = (atMs: number) => [
  `I11 the pass of things.test default/one comes ${atMs - DUE_MS} ms after its deadline`,
];

describe('Deadlines', () => {
  it('R-5.5 a deadline without a pass is late', () => {
    expect(watchDeadline().check(LATE_MS)).toEqual(overdue(LATE_MS));
  });

  it.each([undefined, DUE_MS + 300_000])(
    'R-5.5 a slow pass that began before the deadline, by a clock that is ahead, serves it: it commits %s',
    (dueAtMs) => {
      const { acquire, commit, check, deadlines } = watchDeadline();
      const pass = acquire(DUE_MS - clockSkewMs);
      expect(check(LATE_MS)).toEqual([]);
      commit(LATE_MS + 1_000, pass, dueAtMs);
      expect(check(LATE_MS + 2_000)).toEqual([]);
      expect(deadlines.worstLatenessMs).toBe(0);
    },
  );

  it('R-5.5 a pass that began further before the deadline than clocks differ does not serve it', () => {
    const { acquire, check } = watchDeadline();
    acquire(DUE_MS - clockSkewMs - 1, UPDATED);
    expect(check(LATE_MS)).toEqual(overdue(LATE_MS));
  });

  it('R-5.5 a pass that began just before the deadline serves it no longer than its lease lasts', () => {
    const { acquire, check } = watchDeadline();
    const { untilMs } = acquire(DUE_MS - 600);
    expect(check(untilMs - 1)).toEqual([]);
    expect(check(untilMs)).toEqual(overdue(untilMs));
  });

  it('R-5.5 a pass that began just before the deadline and dies does not serve it', () => {
    const { acquire, check } = watchDeadline();
    acquire(DUE_MS - 600).scope.process.crash();
    expect(check(LATE_MS)).toEqual(overdue(LATE_MS));
  });

  it('R-5.5 a pass that began just before the deadline and ends without a commit does not serve it', () => {
    const { acquire, check, deadlines } = watchDeadline();
    const { scope } = acquire(DUE_MS - 600);
    deadlines.handled({ ...scope });
    expect(check(LATE_MS)).toEqual([]);
    deadlines.handled(scope);
    expect(check(LATE_MS)).toEqual(overdue(LATE_MS));
  });

  it('R-5.5 a deadline that a pass from just before it keeps is as late as it was', () => {
    const { acquire, commit, check } = watchDeadline();
    commit(LATE_MS - 1_000, acquire(DUE_MS - 600), DUE_MS);
    expect(check(LATE_MS)).toEqual(overdue(LATE_MS));
  });

  it('R-5.5 the pass after one that did not commit is as late as it comes', () => {
    const { acquire, violations } = watchDeadline();
    acquire(DUE_MS - 600);
    acquire(LATE_MS + leaseMs);
    expect(violations).toEqual(overdue(LATE_MS + leaseMs));
  });

  it.each([
    ['in time is judged by it', 0, overdue(LATE_MS)],
    ['too late, by somebody who was frozen, is left to the sweep', 26_000, []],
  ])('R-5.5 a deadline that is kept, and whose wake was sent before the steady state %s', (_, lateMs, found) => {
    const { deadlines, violations, acquire, commit, check } = watchDeadline();
    const delaySeconds = Math.ceil((DUE_MS - 1_000 + lateMs) / 1_000);
    const body = JSON.stringify({ v: 1, type: 'target', target: EVENT, dueAtMs: DUE_MS });
    const sent = { method: 'sendDelayed', args: [{ body, delaySeconds }] as readonly unknown[] };
    deadlines.called(sent as ObservedCall, { ok: true, value: undefined });
    commit(10_000, acquire(9_000, UPDATED), 2 * DUE_MS);
    commit(12_000, acquire(11_000, UPDATED), DUE_MS);
    check(13_000);
    deadlines.beginSteadyState();
    commit(20_000, acquire(19_000, UPDATED), DUE_MS);
    acquire(LATE_MS);
    expect(violations).toEqual(found);
  });
});
