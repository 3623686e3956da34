/** The delays of consecutive openings of the breaker: each one is longer than the one before, up to a minute. */
export const BREAKER_BACKOFF = { baseMs: 5_000, capMs: 60_000 };

/**
 * Whether the breaker is still open. A time further ahead than the breaker ever sets comes from a wrong clock and
 * counts as past.
 * @param untilMs epoch ms by the clock of some worker; undefined when the breaker was never opened.
 */
export function isBreakerOpen(untilMs: number | undefined, nowMs: number, capMs = BREAKER_BACKOFF.capMs): boolean {
  return untilMs !== undefined && untilMs > nowMs && untilMs - nowMs <= 2 * capMs;
}
