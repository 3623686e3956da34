import { type BackoffPolicy, backoffDelayMs } from '../../core/backoff.ts';
import { MINIMUM_CHECK_DELAY_MS, type Outcome } from '../../core/outcome.ts';
import { isApiError } from '../../ports/cluster-api.ts';

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
 * @param previous the failures counted so far and the deadline recorded by the last commit.
 * @param random in [0, 1).
 */
export function nextDeadline(
  outcome: Outcome,
  previous: { readonly failures: number; readonly dueAtMs: number | undefined },
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
      return { dueAtMs: earliest(Math.max(outcome.atMs, nowMs + MINIMUM_CHECK_DELAY_MS), resyncAtMs), failures: 0 };
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
