import { type BackoffPolicy, backoffDelayMs } from '../../core/backoff.ts';
import { NEAR_DEADLINE_MS } from '../../core/deadline.ts';
import type { DueFacts, SkinnyEvent } from '../../core/event.ts';
import { MINIMUM_CHECK_DELAY_MS, type Outcome } from '../../core/outcome.ts';
import { cutToCodePoints } from '../../core/text.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import type { LastOutcome, TargetState } from '../../ports/state-store.ts';
import { askedForTimer, factsOf } from '../outcome-facts.ts';
import type { AttemptMode, WaitsFor } from './attempt.ts';
import { describeFailure } from './failure.ts';

/** The event that started the pass, as far as a decision needs it. */
type WakingEvent =
  | Pick<DueFacts, 'cause' | 'dueAt'>
  | { readonly cause: Exclude<SkinnyEvent['cause'], DueFacts['cause']> };

/** The inputs of a decision, in addition to the outcome. */
export interface PassFacts {
  readonly mode: AttemptMode;
  /** What an object that is being deleted waits for. */
  readonly waitsFor?: WaitsFor;
  /** The main condition after the pass, e.g. `Ready False KeyMissing`. */
  readonly condition?: string;
  /** The target after the last commit. */
  readonly last: Pick<TargetState, 'failures' | 'dueAtMs' | 'wakeSent' | 'lastOutcome'>;
  /** The number of earlier passes that started and did not commit. */
  readonly crashes: number;
  readonly event: WakingEvent;
  readonly durationMs: number;
  /** In [0, 1). */
  readonly random: number;
}

export interface DecisionPolicy {
  readonly backoff: BackoffPolicy;
  /**
   * The interval of each target's own resync timer, so that drift of unwatched state is repaired; undefined turns it
   * off.
   */
  readonly targetResyncMs: number | undefined;
}

/** The record of a pass, and the actions after it. */
export interface Decision {
  /** Epoch ms; absent when the target waits only for events. */
  readonly dueAtMs?: number;
  /** Consecutive failures, this pass included. */
  readonly failures: number;
  readonly lastOutcome: LastOutcome;
  /** The value for the item: whether the timer has its wake. */
  readonly wakeSent: boolean;
  /** Whether a wake is sent after the commit. */
  readonly sendsWake: boolean;
  /** Whether the pass failed: it may not have reached everything that the last one read, so that stays recorded. */
  readonly keepsUnread: boolean;
  /** Whether the pass failed because another writer was first. */
  readonly isConflict: boolean;
}

/** The differences between outcomes. */
interface Meaning {
  readonly dueAtMs: number | undefined;
  readonly failures: number;
  readonly reason: string;
  readonly message: string;
}

const MAX_MESSAGE_CODE_POINTS = 512;

/**
 * The consequence of an outcome for the target: when its next pass is due, what is recorded, and whether a wake is
 * sent.
 */
export function decide(facts: PassFacts, outcome: Outcome, policy: DecisionPolicy, nowMs: number): Decision {
  const { mode, waitsFor, condition, last, event, durationMs } = facts;
  const { failure } = factsOf(outcome);
  const { dueAtMs, failures, reason, message } = meaningOf(facts, outcome, policy, nowMs);
  const told = waitsFor ?? { reason, message: cutToCodePoints(message, MAX_MESSAGE_CODE_POINTS) };
  const isKept = dueAtMs !== undefined && isWakeUnderWay(last, event, dueAtMs);
  const isNear = dueAtMs !== undefined && dueAtMs - nowMs <= NEAR_DEADLINE_MS;
  return {
    ...(dueAtMs !== undefined && { dueAtMs }),
    failures,
    lastOutcome: {
      type: isActive(mode) ? outcome.type : mode,
      ...told,
      atMs: nowMs,
      durationMs,
      cause: event.cause,
      ...(condition !== undefined && { condition }),
      ...(waitsFor !== undefined && { terminating: true }),
    },
    wakeSent: isKept ? last.wakeSent : isNear,
    sendsWake: (!isKept && isNear) || (dueAtMs !== undefined && dueAtMs <= nowMs),
    keepsUnread: failure !== undefined,
    isConflict: failure !== undefined && isApiError(failure.error, 'Conflict'),
  };
}

/** Whether the controller was called: paused, unmanaged and released targets are only recorded. */
function isActive(mode: AttemptMode): mode is 'reconciled' | 'finalizing' {
  return mode === 'reconciled' || mode === 'finalizing';
}

function meaningOf(facts: PassFacts, outcome: Outcome, policy: DecisionPolicy, nowMs: number): Meaning {
  const { mode, last, crashes, random } = facts;
  const { backoff } = policy;
  const resyncMs = isActive(mode) ? policy.targetResyncMs : undefined;
  const resyncAtMs = nextResync(last.dueAtMs, resyncMs, nowMs, random);
  const { failure, checkAtMs, terminal } = factsOf(outcome);
  if (failure !== undefined) {
    const failures = last.failures + crashes + 1;
    const delayMs = Math.max(backoffDelayMs(backoff, failures, random), retryAfterMs(failure.error, backoff.capMs));
    const dueAtMs = Math.max(nowMs + delayMs, failure.notBeforeMs ?? 0);
    return { dueAtMs, failures, ...describeFailure(failure.error) };
  }
  const { reason, message } = terminal ?? { reason: '', message: '' };
  const told = { failures: 0, reason, message };
  if (checkAtMs === undefined) return { dueAtMs: resyncAtMs, ...told };
  return { dueAtMs: earliest(checkTime(checkAtMs, last.lastOutcome, backoff.capMs, nowMs), resyncAtMs), ...told };
}

/** A longer Retry-After is cut: no delay exceeds the cap. */
function retryAfterMs(error: unknown, capMs: number): number {
  return isApiError(error) ? Math.min(error.retryAfterMs ?? 0, capMs) : 0;
}

/**
 * An unchanged timer has had its wake, or gets it from the sweep. There is one exception: the wake of the timer that
 * started this pass is used up, even if the timer is still in the future by this machine's clock.
 */
function isWakeUnderWay(last: Pick<TargetState, 'dueAtMs'>, event: WakingEvent, dueAtMs: number): boolean {
  return dueAtMs === last.dueAtMs && !(event.cause === 'due' && event.dueAt === dueAtMs);
}

/**
 * A time in the past is checked again after the minimum, once. A controller that returns the same past time again would
 * otherwise run each second forever. So from the second time on it waits as long as the time has been past, up to
 * `capMs`.
 */
function checkTime(atMs: number, last: LastOutcome | undefined, capMs: number, nowMs: number): number {
  const hadItsPass = askedForTimer(last) && atMs <= last.atMs - last.durationMs;
  const delayMs = hadItsPass ? Math.min(nowMs - atMs, capMs) : 0;
  return Math.max(atMs, nowMs + Math.max(delayMs, MINIMUM_CHECK_DELAY_MS));
}

/**
 * The recorded timer is kept while it is in the range that a new one would have: then a pass without a change writes no
 * index entry.
 */
function nextResync(
  recordedMs: number | undefined,
  intervalMs: number | undefined,
  nowMs: number,
  random: number,
): number | undefined {
  if (intervalMs === undefined) return undefined;
  if (recordedMs !== undefined && recordedMs > nowMs + intervalMs / 2 && recordedMs <= nowMs + intervalMs * 1.25)
    return recordedMs;
  return Math.round(nowMs + intervalMs * (0.75 + random / 2));
}

function earliest(time: number, other: number | undefined): number {
  return other === undefined ? time : Math.min(time, other);
}
