import { type BackoffPolicy, backoffDelayMs } from '../../core/backoff.ts';
import { MINIMUM_CHECK_DELAY_MS, type Outcome } from '../../core/outcome.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import type { LastOutcome, TargetState } from '../../ports/state-store.ts';

export interface DeadlinePolicy {
  readonly backoff: BackoffPolicy;
  /** Each target's own resync deadline, so that drift of unwatched state is repaired; undefined turns it off. */
  readonly targetResyncMs: number | undefined;
}

export interface NextDeadline {
  /** Epoch ms; undefined waits for events alone. */
  readonly dueAtMs: number | undefined;
  /** Consecutive failures, this pass included. */
  readonly failures: number;
}

/**
 * What an outcome means for the next pass.
 * @param previous the failures counted so far, and the deadline and outcome that the last commit recorded.
 * @param random in [0, 1).
 */
export function nextDeadline(
  outcome: Outcome,
  previous: Pick<TargetState, 'failures' | 'dueAtMs' | 'lastOutcome'>,
  policy: DeadlinePolicy,
  nowMs: number,
  random: number,
): NextDeadline {
  const resyncAtMs = nextResync(previous.dueAtMs, policy.targetResyncMs, nowMs, random);
  switch (outcome.type) {
    case 'settled':
    case 'terminal':
      return { dueAtMs: resyncAtMs, failures: 0 };
    case 'checkAt':
      return {
        dueAtMs: earliest(checkTime(outcome.atMs, previous.lastOutcome, policy.backoff.capMs, nowMs), resyncAtMs),
        failures: 0,
      };
    case 'retry': {
      const failures = previous.failures + 1;
      // A longer Retry-After is not believed: no delay exceeds the cap.
      const retryAfterMs = isApiError(outcome.error)
        ? Math.min(outcome.error.retryAfterMs ?? 0, policy.backoff.capMs)
        : 0;
      const delayMs = Math.max(backoffDelayMs(policy.backoff, failures, random), retryAfterMs);
      return { dueAtMs: Math.max(nowMs + delayMs, outcome.notBeforeMs ?? 0), failures };
    }
  }
}

/**
 * A time that has passed is checked again after the minimum, once. A controller that names the same passed time again would
 * otherwise run each second for ever: from then on it waits as long as the time has been past, up to `capMs`.
 */
function checkTime(atMs: number, last: LastOutcome | undefined, capMs: number, nowMs: number): number {
  const hadItsPass = last?.type === 'checkAt' && atMs <= last.atMs - last.durationMs;
  const delayMs = hadItsPass ? Math.min(nowMs - atMs, capMs) : 0;
  return Math.max(atMs, nowMs + Math.max(delayMs, MINIMUM_CHECK_DELAY_MS));
}

/**
 * The recorded deadline is kept while it lies in the window that a new one would fall in anyway: a pass without a
 * change then writes no index entry.
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
