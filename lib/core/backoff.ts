export interface BackoffPolicy {
  readonly baseMs: number;
  readonly capMs: number;
}

export const DEFAULT_BACKOFF: BackoffPolicy = { baseMs: 1_000, capMs: 300_000 };

/**
 * The longest delay after `failures` consecutive failures: the base, doubled for each further failure, up to the cap.
 */
export function backoffBoundMs(policy: BackoffPolicy, failures: number): number {
  return Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(Math.max(failures - 1, 0), 40));
}

/**
 * Full jitter with a growing bound: uniform in [bound/10, bound]. A failing target is never retried at once,
 * and targets that fail together are retried at different times.
 * @param random in [0, 1).
 */
export function backoffDelayMs(policy: BackoffPolicy, failures: number, random: number): number {
  const bound = backoffBoundMs(policy, failures);
  return Math.round(bound / 10 + (bound - bound / 10) * random);
}
