import { type DueFacts, isRequest, type SkinnyEvent } from '../../../core/event.ts';
import type { LeaseTimings } from '../../../core/lease.ts';
import type { Target, TargetKey } from '../../../core/target.ts';
import type { CommitRecord, LeaseHold, TargetStore } from '../../../ports/state-store.ts';
import type { CallOutcome, MessageScope, ObservedCall } from '../process.ts';
import type { Invariant } from './invariant.ts';
import { type Attempt, describeTarget, type PassRecord, type TargetRecord, targetKey } from './pass-record.ts';
import type { Report } from './violation.ts';

/** 5 s, the difference of two clocks, and what the queue takes. */
const LATE_MS = 5_000 + 4_000 + 3_000;

/** A poll that a pass asked for gets its wake from the next sweep, or is found overdue by it. */
const POLL_LATE_MS = 60_000 + 5_000 + LATE_MS;

/** Delays are whole seconds, rounded up. */
const SECOND_MS = 1_000;

interface Deadline {
  readonly target: TargetKey & Partial<Target>;
  readonly dueAtMs: number;
  /** True time at which it was set. */
  readonly setAtMs: number;
  /** Set by a pass, whose wake brings it; others are found by the sweep. */
  readonly byPass: boolean;
  /** Acquired before its time by no more than clocks differ: what it commits takes the deadline's place. */
  readonly early?: PassRecord | undefined;
}

/** I11: a deadline yields a pass at or after its time, and in steady state within 5 s plus queue delay. */
export class Deadlines implements Invariant {
  readonly #report: Report;
  readonly #timings: LeaseTimings;
  readonly #now: () => number;
  readonly #isRestless: (target: TargetKey) => boolean;
  readonly #epochOf: (target: TargetKey) => number | undefined;
  readonly #deadlines = new Map<string, Deadline>();
  /** Deadlines that a queue has accepted. */
  readonly #sent = new Set<string>();
  /** Deadlines whose wake the queue has accepted, in time. */
  readonly #woken = new Set<string>();
  #steadySinceMs = Number.POSITIVE_INFINITY;
  /** The latest that a pass of the steady state came, in milliseconds after its deadline. */
  worstLatenessMs = 0;

  /**
   * @param isRestless whether passes of a target fail or hang for good: they make its own deadlines late.
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

  /** From here on nothing fails: deadlines set after now are on time. */
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

  /** One that ended without a commit has served nothing. */
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

  /** The mark's deadline replaces any other one: before the lease has ended, its pass would meet the lease again. */
  marked(_call: ObservedCall, { target }: LeaseHold, dueAtMs: number, holder: PassRecord | undefined): void {
    if (holder !== undefined && dueAtMs < holder.leaseUntilMs + this.#timings.clockSkewMs) {
      const earlyMs = holder.leaseUntilMs - dueAtMs;
      this.#report('I11', `a mark gives ${describeTarget(target)} a deadline ${earlyMs} ms before its lease ends`);
    }
    this.#set(target, dueAtMs, false);
  }

  /**
   * What is pushed out was sent before, under the epoch that it has: a crash in between sends it twice, never zero times. A
   * deadline that a later pass set for the same instant is another one.
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

  /** A process that is frozen before the queue has its wake makes it late: the sweep finds the deadline before, or after it. */
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
   * Reports every deadline that is overdue for longer than may be. @param byMs true time since which none may be.
   *
   * One whose pass began before its time by no more than clocks differ, and still runs, is not: a slow pass takes longer than
   * a deadline may be late. So it cannot be seen here that such a pass will never commit, until it ends, its process dies, or
   * its lease is over. A process that asks before that asks again once no pass runs: a commit that keeps the deadline, or none at
   * all, leaves it as late as it was.
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
    // One that is kept rests on the wake that it has had: if that failed, the sweep has to find it.
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

/** By the pass that began just before its time, as long as that may still commit. */
function isServed({ early }: Deadline, nowMs: number): boolean {
  return early?.scope.process.alive === true && nowMs < early.untilMs;
}
