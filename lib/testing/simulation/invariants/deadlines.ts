import { type DueFacts, isRequest, type SkinnyEvent } from '../../../core/event.ts';
import type { LeaseTimings } from '../../../core/lease.ts';
import type { Target, TargetKey } from '../../../core/target.ts';
import type { CommitRecord, LeaseHold, TargetStore } from '../../../ports/state-store.ts';
import type { CallOutcome, MessageScope, ObservedCall } from '../process.ts';
import type { Invariant } from './invariant.ts';
import { type Attempt, describeTarget, type PassRecord, type TargetRecord, targetKey } from './pass-record.ts';
import type { Report } from './violation.ts';

/** The allowed 5 s, the largest difference of two clocks, and the delay of the queue. */
const LATE_MS = 5_000 + 4_000 + 3_000;

/** The next sweep sends the wake of a poll that a pass asked for, or finds the poll overdue. */
const POLL_LATE_MS = 60_000 + 5_000 + LATE_MS;

/** Delays are whole seconds, rounded up. */
const SECOND_MS = 1_000;

interface Deadline {
  readonly target: TargetKey & Partial<Target>;
  readonly dueAtMs: number;
  /** True time at which the timer was set. */
  readonly setAtMs: number;
  /** Whether a pass set the timer, so that a wake brings it. The sweep finds all others. */
  readonly byPass: boolean;
  /** A pass that was acquired before the due time, but within the clock skew. Its commit replaces the timer. */
  readonly early?: PassRecord | undefined;
}

/** I11: a timer starts a pass at or after its due time, and in the steady state within 5 s plus queue delay. */
export class Deadlines implements Invariant {
  readonly #report: Report;
  readonly #timings: LeaseTimings;
  readonly #now: () => number;
  readonly #isRestless: (target: TargetKey) => boolean;
  readonly #epochOf: (target: TargetKey) => number | undefined;
  readonly #deadlines = new Map<string, Deadline>();
  /** Timers whose events a queue has accepted. */
  readonly #sent = new Set<string>();
  /** Timers whose wakes the queue has accepted in time. */
  readonly #woken = new Set<string>();
  #steadySinceMs = Number.POSITIVE_INFINITY;
  /** The largest delay of a pass in the steady state, in milliseconds after its due time. */
  worstLatenessMs = 0;

  /**
   * @param isRestless whether passes of a target fail or hang forever: they delay its own timers.
   * @param epochOf the epoch that a target's item has now.
   */
  constructor(
    report: Report,
    timings: LeaseTimings,
    now: () => number,
    isRestless: (target: TargetKey) => boolean,
    epochOf: (target: TargetKey) => number | undefined,
  ) {
    this.#isRestless = isRestless;
    this.#epochOf = epochOf;
    this.#report = report;
    this.#timings = timings;
    this.#now = now;
  }

  /** No fault happens after this call: timers that are set later are on time. */
  beginSteadyState(): void {
    this.#steadySinceMs = this.#now();
  }

  handling({ event }: MessageScope): void {
    if (event.cause !== 'poll' || event.dueAt < this.#steadySinceMs) return;
    const { kind, namespace, name } = event;
    const lateMs = this.#now() - event.dueAt;
    if (lateMs > POLL_LATE_MS) this.#report('I11', `the poll of ${kind} ${namespace}/${name} comes ${lateMs} ms late`);
  }

  acquired(pass: PassRecord): void {
    const { target, scope } = pass;
    const { event } = scope;
    const nowMs = this.#now();
    if (event.cause === 'due' && nowMs < event.dueAt - this.#timings.clockSkewMs) {
      this.#report('I11', `${describeTarget(target)} gets its pass ${event.dueAt - nowMs} ms before its deadline`);
    }
    const key = targetKey(target);
    const deadline = this.#deadlines.get(key);
    if (deadline === undefined) return;
    if (deadline.dueAtMs > nowMs) {
      if (deadline.dueAtMs - nowMs <= this.#timings.clockSkewMs) this.#deadlines.set(key, { ...deadline, early: pass });
      return;
    }
    this.#check(deadline, nowMs);
    this.#deadlines.delete(key);
  }

  /** A pass that ended without a commit has not served the timer. */
  handled(scope: MessageScope): void {
    if (isRequest(scope.event)) return;
    const key = targetKey(scope.event);
    const deadline = this.#deadlines.get(key);
    if (deadline?.early?.scope === scope) this.#deadlines.set(key, { ...deadline, early: undefined });
  }

  committed({ pass }: Attempt, _record: TargetRecord, { dueAtMs }: CommitRecord): void {
    this.#set(pass.target, dueAtMs, true);
  }

  deferred(target: Target, _record: TargetRecord, { dueAtMs }: Parameters<TargetStore['defer']>[1]): void {
    this.#set(target, dueAtMs, true);
  }

  /**
   * The timer of the mark replaces any other one: a pass before the end of the lease would find the object leased
   * again.
   */
  marked(_call: ObservedCall, { target }: LeaseHold, dueAtMs: number, holder: PassRecord | undefined): void {
    if (holder !== undefined && dueAtMs < holder.leaseUntilMs + this.#timings.clockSkewMs) {
      const earlyMs = holder.leaseUntilMs - dueAtMs;
      this.#report('I11', `a mark gives ${describeTarget(target)} a deadline ${earlyMs} ms before its lease ends`);
    }
    this.#set(target, dueAtMs, false);
  }

  /**
   * A timer that is pushed out was sent before, with the epoch that the item has. After a crash in between it is sent
   * twice, never zero times. A timer that a later pass set for the same time is a different one.
   */
  pushed(target: TargetKey, dueAtMs: number, fromDueAtMs: number): void {
    if (!this.#sent.has(`${target.uid} ${fromDueAtMs} ${this.#epochOf(target)}`)) {
      this.#report('I11', `the deadline of ${target.kind} ${target.uid.slice(-4)} is pushed out, and was not sent`);
    }
    this.#set(target, dueAtMs, false);
  }

  called({ method, args }: ObservedCall, outcome: CallOutcome): void {
    if (method === 'sendDelayed' && outcome.ok) this.#noteWake(args[0] as { body: string; delaySeconds: number });
    if (method !== 'send' || !outcome.ok) return;
    const results = outcome.value as readonly { accepted: boolean }[];
    for (const [index, { body }] of (args[0] as readonly { body: string }[]).entries()) {
      const { cause, uid, dueAt, epoch } = JSON.parse(body) as Partial<SkinnyEvent & DueFacts>;
      if (cause === 'due' && results[index]?.accepted === true) this.#sent.add(`${uid} ${dueAt} ${epoch}`);
    }
  }

  /**
   * A process that is frozen before the queue has the wake delays it: then the sweep finds the timer, before or after
   * its due time.
   */
  #noteWake({ body, delaySeconds }: { body: string; delaySeconds: number }): void {
    const { target, dueAtMs } = JSON.parse(body) as { target?: TargetKey; dueAtMs: number };
    const comesAtMs = this.#now() + delaySeconds * 1_000;
    if (target === undefined || comesAtMs > dueAtMs + this.#timings.clockSkewMs + SECOND_MS) return;
    this.#woken.add(`${target.uid} ${dueAtMs}`);
  }

  forgotten(target: Target): void {
    this.#deadlines.delete(targetKey(target));
  }

  /**
   * Reports every timer that is overdue for longer than allowed. @param byMs true time; a timer that was due before it
   * is reported in any case.
   *
   * One case is not reported: a pass began before the due time, within the clock skew, and still runs. A slow pass
   * takes longer than a timer may be late. Whether such a pass will ever commit shows only when it ends, its process
   * dies, or its lease expires. So a caller that checks earlier checks again when no pass runs any more: if the timer
   * was not replaced by a commit, it is as late as before.
   */
  checkOverdue(byMs: number): void {
    const nowMs = this.#now();
    for (const deadline of this.#deadlines.values()) {
      if (deadline.dueAtMs < byMs) {
        const { kind, namespace, name } = deadline.target;
        this.#report(
          'I11',
          `the deadline of ${kind} ${namespace}/${name} passed ${nowMs - deadline.dueAtMs} ms ago without a pass`,
        );
      } else if (deadline.dueAtMs < nowMs && !isServed(deadline, nowMs)) this.#check(deadline, nowMs);
    }
  }

  #set(target: TargetKey, dueAtMs: number | undefined, byPass: boolean): void {
    const key = targetKey(target);
    const before = this.#deadlines.get(key);
    if (dueAtMs === undefined) {
      this.#deadlines.delete(key);
      return;
    }
    // A timer that a commit keeps relies on its earlier wake: if that wake failed, the sweep has to find the timer.
    const rests = before?.dueAtMs === dueAtMs && !this.#woken.has(`${target.uid} ${dueAtMs}`);
    this.#deadlines.set(key, { target, dueAtMs, setAtMs: rests ? before.setAtMs : this.#now(), byPass });
  }

  #check({ target, dueAtMs, setAtMs, byPass }: Deadline, nowMs: number): void {
    if (!byPass || setAtMs < this.#steadySinceMs || this.#isRestless(target)) return;
    const lateMs = nowMs - dueAtMs;
    this.worstLatenessMs = Math.max(this.worstLatenessMs, lateMs);
    if (lateMs <= LATE_MS) return;
    const { kind, namespace, name } = target;
    this.#report('I11', `the pass of ${kind} ${namespace}/${name} comes ${lateMs} ms after its deadline`);
  }
}

/** Whether the pass that began just before the due time may still commit. */
function isServed({ early }: Deadline, nowMs: number): boolean {
  return early?.scope.process.alive === true && nowMs < early.untilMs;
}
