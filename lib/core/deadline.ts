/** SQS delays a message by at most 15 minutes: a timer within that time gets its wake at the commit. */
export const NEAR_DEADLINE_MS = 15 * 60_000;

/**
 * A stored timer: when it is due, and when it was set, both in epoch ms of the clock that set it. Their difference is
 * its length, which is right even if that clock was wrong.
 */
export interface SetDeadline {
  readonly dueAtMs: number;
  /** Undefined if the release that set it does not record this. */
  readonly dueSetAtMs?: number;
}

/** The time between setting the timer and its due time; undefined if it is not known. Never negative. */
export function deadlineLengthMs({ dueAtMs, dueSetAtMs }: SetDeadline): number | undefined {
  return dueSetAtMs === undefined ? undefined : Math.max(0, dueAtMs - dueSetAtMs);
}

/**
 * The new due time of a timer that a wrong clock set; undefined for a right one. A wrong one was set later than now by
 * more than the clock skew: by a clock that is ahead, or by this one before it was set back. The new time counts from
 * now.
 */
export function dueAtByThisClock(deadline: SetDeadline, nowMs: number, clockSkewMs: number): number | undefined {
  const lengthMs = deadlineLengthMs(deadline);
  if (lengthMs === undefined || !isSetByWrongClock(deadline, nowMs, clockSkewMs)) return undefined;
  return nowMs + lengthMs;
}

/** Whether the timer was set later than now, by more than the clock skew. */
export function isSetByWrongClock({ dueSetAtMs }: SetDeadline, nowMs: number, clockSkewMs: number): boolean {
  return dueSetAtMs !== undefined && dueSetAtMs > nowMs + clockSkewMs;
}
