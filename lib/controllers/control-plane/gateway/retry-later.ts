import { type Outcome, retry } from '../../../core/outcome.ts';
import { isIdentityError } from '../../../ports/identity-provider.ts';
import type { ReadError } from '../read-error.ts';

/** A longer Retry-After is cut to this. Otherwise a server could stop a Gateway, and its deletion, without a limit. */
export const MAX_RETRY_AFTER_MS = 300_000;

/**
 * Retries by the shared backoff, and no earlier than the identity server asks for.
 * @param limit the error that may say how long to wait.
 */
export function retryLater(error: ReadError, nowMs: number, limit: ReadError = error): Outcome {
  const waitMs = isIdentityError(limit) ? limit.retryAfterMs : undefined;
  return retry(error, waitMs === undefined ? {} : { notBeforeMs: nowMs + Math.min(waitMs, MAX_RETRY_AFTER_MS) });
}
