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

/** The pass is done. The next pass comes with an event, or with the resync of the object. */
export function settled(): Outcome {
  return { type: 'settled' };
}

/**
 * Asks for another pass at a time, or earlier when an event comes. The time survives every restart.
 * @param atMs epoch ms, at most a day ago and ten years ahead. A time in the past is checked after the minimum delay.
 * @throws EvenkeelError INVALID_CHECK_TIME when it is not a time.
 */
export function checkAt(atMs: number): Outcome {
  if (!Number.isFinite(atMs)) {
    throw new EvenkeelError('INVALID_CHECK_TIME', `checkAt(${atMs}): give the time to check at in epoch milliseconds`);
  }
  return { type: 'checkAt', atMs: Math.round(atMs) };
}

/**
 * Asks for a retry after a backoff that grows with each failure in a row and survives restarts. A thrown error does
 * the same.
 * @param error why the pass failed. Users see its text only if it is an `EvenkeelError`.
 * @param options.notBeforeMs epoch ms; no retry before this time, for example after an answer with Retry-After.
 */
export function retry(error: unknown, options: { notBeforeMs?: number } = {}): Outcome {
  return options.notBeforeMs === undefined
    ? { type: 'retry', error }
    : { type: 'retry', error, notBeforeMs: options.notBeforeMs };
}

/**
 * No retry can help: the next pass comes with an edit of the object, or with a change of what the pass read. The object
 * shows Ready False, or Available False, with this reason.
 * @param reason the reason of the condition, `^[A-Za-z][A-Za-z0-9_]*$`. Any other text is shown as `Terminal`.
 * @param message what is wrong and what to do, for the object's users; never a secret.
 */
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
