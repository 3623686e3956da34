/** SQS delays a message by 15 minutes at most: a deadline within that time gets its wake at the commit. */
export const NEAR_DEADLINE_MS = 15 * 60_000;

/**
 * A deadline as it is stored: the time, and when it was set, both in epoch ms of the clock that set it. Their difference is
 * its length, which is right even when that clock was wrong.
 */
export interface SetDeadline {
  readonly dueAtMs: number;
  /** Undefined if the release that set it does not record this. */
  readonly dueSetAtMs?: number;
}

/** The time from setting the deadline to the deadline; undefined if it is not known. Never negative. */
export function deadlineLengthMs({ dueAtMs, dueSetAtMs }: SetDeadline): number | undefined {
  return dueSetAtMs === undefined ? undefined : Math.max(0, dueAtMs - dueSetAtMs);
}

/**
 * The new time of a deadline that a wrong clock set; undefined for a right one. A wrong one was set later than now by more
 * than clocks may differ: by a clock that is ahead, or by this one before it was set back. The new time counts from now.
 */
export function dueAtByThisClock(deadline: SetDeadline, nowMs: number, clockSkewMs: number): number | undefined {
  const lengthMs = deadlineLengthMs(deadline);
  if (lengthMs === undefined || !isSetByWrongClock(deadline, nowMs, clockSkewMs)) return undefined;
  return nowMs + lengthMs;
}

/** Whether the deadline was set later than now, by more than clocks may differ. */
export function isSetByWrongClock({ dueSetAtMs }: SetDeadline, nowMs: number, clockSkewMs: number): boolean {
  return dueSetAtMs !== undefined && dueSetAtMs > nowMs + clockSkewMs;
}
