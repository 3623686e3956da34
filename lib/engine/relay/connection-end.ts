import { backoffDelayMs } from '../../core/backoff.ts';
import { InfrastructureError } from '../../core/errors.ts';
import { type ApiErrorReason, isApiError } from '../../ports/cluster-api.ts';
import type { RelayOptions } from './relay-options.ts';
import { IdleWatchError } from './watch-until-idle.ts';

/** Why a connection of a stream ended; a metric's dimension. */
export type EndReason =
  | ApiErrorReason
  /** The server ended the watch at its time-out. */
  | 'Ended'
  /** The server ended the watch much too soon. */
  | 'EndedEarly'
  | 'Idle'
  /** Its incarnation ended. */
  | 'Restored'
  /** The table or the queue did not answer. */
  | 'Infrastructure'
  | 'Unexpected';

/** How a connection ended, and how the stream continues. */
export interface ConnectionEnd {
  readonly reason: EndReason;
  /** How long to wait before the next connection. */
  readonly delayMs: number;
  /** The checkpoint cannot be used any more. */
  readonly relist: boolean;
}

type PaceOptions = Pick<RelayOptions, 'backoff' | 'slowRetryMs' | 'missingRetryMs' | 'maxRetryAfterMs'>;

function endReason(error: unknown): EndReason {
  if (isApiError(error)) return error.reason;
  if (error instanceof IdleWatchError) return 'Idle';
  return error instanceof InfrastructureError ? 'Infrastructure' : 'Unexpected';
}

/**
 * When to connect again. A failure that a person must repair (permission, a missing CRD) is retried slowly. Every other
 * failure is retried after a growing bound with full jitter, and never before a Retry-After has passed.
 *
 * With the defaults a stream makes at most 15 attempts in the first minute of a failure and 10 in each later minute (2 on
 * average). A forbidden kind gets one attempt a minute, a missing kind four. An attempt is at most three requests (a probe of
 * one object, a list page or a watch, the relay's Lease).
 *
 * @param failures the number of consecutive failures, this one included.
 * @param random in [0, 1).
 */
export function connectionEnd(error: unknown, failures: number, options: PaceOptions, random: number): ConnectionEnd {
  const reason = endReason(error);
  const slowMs = reason === 'Forbidden' ? options.slowRetryMs : options.missingRetryMs;
  const isSlow = reason === 'Forbidden' || reason === 'KindMissing';
  const paceMs = isSlow ? slowMs * (0.5 + random / 2) : backoffDelayMs(options.backoff, failures, random);
  const retryAfterMs = isApiError(error) ? Math.min(error.retryAfterMs ?? 0, options.maxRetryAfterMs) : 0;
  return { reason, delayMs: Math.max(paceMs, retryAfterMs), relist: reason === 'Expired' };
}
