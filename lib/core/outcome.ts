import { EvenkeelError } from './errors.ts';

/** The result of a reconcile, as a closed set. The engine turns each one into a commit by one exhaustive switch. */
export type Outcome =
  /** Wait for events, and for the target's resync interval. */
  | { readonly type: 'settled' }
  /** Run again at `atMs` (epoch ms), or earlier when an event arrives. */
  | { readonly type: 'checkAt'; readonly atMs: number }
  /** A required operation failed. Retry with a durable backoff; failures are counted. */
  | { readonly type: 'retry'; readonly error: unknown; readonly notBeforeMs?: number }
  /** Report it, and wait for a new generation or an event of a dependency. */
  | { readonly type: 'terminal'; readonly reason: string; readonly message: string };

/** A time in the past is checked after this delay, not at once. */
export const MINIMUM_CHECK_DELAY_MS = 1_000;

/**
 * How far the time of an outcome may be from now. A time further away is a mistake, such as seconds instead of
 * milliseconds.
 */
export const LONGEST_PAST_MS = 86_400_000;
export const LONGEST_AHEAD_MS = 3_652 * 86_400_000;

export function settled(): Outcome {
  return { type: 'settled' };
}

/**
 * @param atMs epoch ms, at most a day ago and ten years ahead. A time in the past is checked after the minimum delay.
 * @throws EvenkeelError INVALID_CHECK_TIME when it is not a time.
 */
export function checkAt(atMs: number): Outcome {
  if (!Number.isFinite(atMs)) {
    throw new EvenkeelError('INVALID_CHECK_TIME', `checkAt(${atMs}): give the time to check at in epoch milliseconds`);
  }
  return { type: 'checkAt', atMs: Math.round(atMs) };
}

export function retry(error: unknown, options: { notBeforeMs?: number } = {}): Outcome {
  return options.notBeforeMs === undefined
    ? { type: 'retry', error }
    : { type: 'retry', error, notBeforeMs: options.notBeforeMs };
}

export function terminal(reason: string, message: string): Outcome {
  return { type: 'terminal', reason, message };
}

/**
 * The earliest of some times, but not before the minimum delay from now (R-1.25: the shortest positive interval counts;
 * a time in the past is checked after the minimum delay). A time beyond the limit of an outcome is checked at that
 * limit.
 */
export function earliestCheck(nowMs: number, times: readonly (number | undefined)[]): Outcome {
  const wanted = times.filter((time): time is number => time !== undefined);
  if (wanted.length === 0) return settled();
  const atMs = Math.max(Math.min(...wanted), nowMs + MINIMUM_CHECK_DELAY_MS);
  return checkAt(Math.min(atMs, nowMs + LONGEST_AHEAD_MS));
}
