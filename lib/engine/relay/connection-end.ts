import { backoffDelayMs } from '../../core/backoff.ts';
import { InfrastructureError } from '../../core/errors.ts';
import { type ApiErrorReason, isApiError } from '../../ports/cluster-api.ts';
import type { RelayOptions } from './relay-options.ts';
import { IdleWatchError } from './watch-until-idle.ts';

/** Why a connection of a stream ended; a metric's dimension. */
export type EndReason =
  | ApiErrorReason
  /** The server ended the watch in its time. */
  | 'Ended'
  /** The server ended the watch much too soon. */
  | 'EndedEarly'
  | 'Idle'
  /** Its incarnation ended. */
  | 'Restored'
  /** The table or the queue did not answer. */
  | 'Infrastructure'
  | 'Unexpected';

/** How a connection ended, and how the stream goes on. */
export interface ConnectionEnd {
  readonly reason: EndReason;
  /** How long to wait before the next connection. */
  readonly delayMs: number;
  /** The checkpoint is of no use any more. */
  readonly relist: boolean;
}

type PaceOptions = Pick<RelayOptions, 'backoff' | 'slowRetryMs' | 'missingRetryMs' | 'maxRetryAfterMs'>;

function endReason(error: unknown): EndReason {
  if (isApiError(error)) return error.reason;
  if (error instanceof IdleWatchError) return 'Idle';
  return error instanceof InfrastructureError ? 'Infrastructure' : 'Unexpected';
}

/**
 * The pace of the next connection. What a person must repair (permission, a missing CRD) is tried again slowly; everything
 * else under a growing bound with full jitter, and never before a Retry-After has passed.
 *
 * With the defaults a stream makes at most 15 attempts in the first minute of a failure and 10 in each later one (2 on
 * average), or one a minute when forbidden, four when missing; an attempt is at most three requests (a probe of one object, a list page or
 * a watch, the relay's Lease).
 *
 * @param failures consecutive ones, this one included.
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
