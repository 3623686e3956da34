export interface BackoffPolicy {
  readonly baseMs: number;
  readonly capMs: number;
}

export const DEFAULT_BACKOFF: BackoffPolicy = { baseMs: 1_000, capMs: 300_000 };

/** The bound that the delay after `failures` consecutive failures lies under: base, doubled for each further one, capped. */
export function backoffBoundMs(policy: BackoffPolicy, failures: number): number {
  return Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(Math.max(failures - 1, 0), 40));
}

/**
 * Full jitter under a growing bound: uniform in [bound/10, bound], so that a failing target is never hot and
 * many failing together spread out.
 * @param random in [0, 1).
 */
export function backoffDelayMs(policy: BackoffPolicy, failures: number, random: number): number {
  const bound = backoffBoundMs(policy, failures);
  return Math.round(bound / 10 + (bound - bound / 10) * random);
}
