import type { LeaseTimings } from '../../../core/lease.ts';
import type { Target, TargetKey } from '../../../core/target.ts';
import type { ClusterState, CommitRecord, TargetState, TargetStore } from '../../../ports/state-store.ts';
import type { Invariant } from './invariant.ts';
import { type Attempt, describeTarget, type TargetRecord, targetKey } from './pass-record.ts';
import type { Report } from './violation.ts';

/** The sweep and a wake handle a near timer. Resync finds one that is farther ahead. */
const NEAR_MS = 15 * 60_000;
/** The sweep finds the timer after this time, and moves it by its own length at the most. */
const FOUND_MS = 150_000;

/** A timer, with the true time at which it should be due. */
interface TrueDeadline {
  readonly target: TargetKey;
  readonly dueAtMs: number;
  readonly lengthMs: number;
}

/** The present content of the table. */
export interface ClockedTable {
  readonly targets: readonly TargetState[];
  readonly cluster: Pick<ClusterState, 'relay'>;
}

/**
 * I11, for clocks that were far wrong and are right again: the values that they left in the table delay nothing by more
 * than the longest lease and a minute.
 */
export class ClockDelays implements Invariant {
  readonly #report: Report;
  readonly #timings: LeaseTimings;
  readonly #now: () => number;
  readonly #deadlines = new Map<string, TrueDeadline>();

  constructor(report: Report, timings: LeaseTimings, now: () => number) {
    this.#report = report;
    this.#timings = timings;
    this.#now = now;
  }

  committed({ pass }: Attempt, _record: TargetRecord, { dueAtMs, lastOutcome }: CommitRecord): void {
    this.#set(pass.target, dueAtMs, (dueAtMs ?? 0) - lastOutcome.atMs);
  }

  deferred(target: Target, _record: TargetRecord, { dueAtMs, lastOutcome }: Parameters<TargetStore['defer']>[1]): void {
    this.#set(target, dueAtMs, dueAtMs - lastOutcome.atMs);
  }

  marked(_call: unknown, { target }: { target: TargetKey }, dueAtMs: number): void {
    this.#set(target, dueAtMs, this.#timings.leaseMs + this.#timings.graceMs);
  }

  pushed(target: TargetKey, dueAtMs: number): void {
    this.#set(target, dueAtMs, 2 * this.#timings.visibilityMs);
  }

  forgotten(target: Target): void {
    this.#deadlines.delete(targetKey(target));
  }

  /** Call this when clocks have been right for some minutes. */
  check({ targets, cluster: { relay } }: ClockedTable, relayLeaseMs: number): void {
    const nowMs = this.#now();
    const { leaseMs, clockSkewMs } = this.#timings;
    for (const { target, lease, dueAtMs } of targets) {
      const heldMs = (lease?.untilMs ?? 0) - nowMs;
      if (heldMs > leaseMs + clockSkewMs)
        this.#report('I11', `${describeTarget(target)} is leased for another ${heldMs} ms, by a clock that was wrong`);
      const due = this.#deadlines.get(targetKey(target));
      if (due === undefined || dueAtMs === undefined || due.lengthMs > NEAR_MS || dueAtMs < nowMs) continue;
      const lateMs = nowMs - due.dueAtMs - Math.max(0, due.lengthMs) - FOUND_MS;
      if (lateMs > 0)
        this.#report('I11', `${describeTarget(target)} waits for a deadline of a clock that was wrong: ${lateMs} ms`);
    }
    const relayMs = (relay?.untilMs ?? 0) - nowMs;
    if (relayMs > relayLeaseMs + clockSkewMs)
      this.#report('I11', `${relay?.owner} holds the relay for another ${relayMs} ms, by a clock that was wrong`);
  }

  #set(target: TargetKey, dueAtMs: number | undefined, lengthMs: number): void {
    const key = targetKey(target);
    if (dueAtMs === undefined) this.#deadlines.delete(key);
    else this.#deadlines.set(key, { target, dueAtMs: Math.min(dueAtMs, this.#now() + lengthMs), lengthMs });
  }
}
