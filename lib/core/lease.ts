import { EvenkeelError } from './errors.ts';

/**
 * The times that keep two passes of a target apart, all in milliseconds.
 *
 * ```
 * receive  acquire                     pass limit          lease ends                 visibility ends
 *    |--------|--------- pass ------------|-- clock skew -----|---- takeover possible ----|
 *    |<----------------------------------- visibility ----------------------------------->|
 *             |<------------------- lease ------------------->|<- grace ->| the held mark's deadline
 * ```
 */
export interface LeaseTimings {
  /** A pass is aborted after this time. */
  readonly passLimitMs: number;
  readonly leaseMs: number;
  /** The time from the end of the lease to the timer of a pending mark. */
  readonly graceMs: number;
  /** The queue's visibility time-out. */
  readonly visibilityMs: number;
  /** The largest tolerated difference between the clocks of two machines. */
  readonly clockSkewMs: number;
  /** The lease time that must be left to start a mutation. */
  readonly mutationMarginMs: number;
}

export const DEFAULT_LEASE_TIMINGS: LeaseTimings = {
  passLimitMs: 20_000,
  leaseMs: 30_000,
  graceMs: 5_000,
  visibilityMs: 60_000,
  clockSkewMs: 4_000,
  mutationMarginMs: 5_000,
};

/** @throws EvenkeelError INVALID_TIMINGS that names every inequality that does not hold. */
export function checkLeaseTimings(timings: LeaseTimings): LeaseTimings {
  const faults: string[] = [];
  if (timings.passLimitMs + timings.clockSkewMs >= timings.leaseMs) faults.push('passLimit + clockSkew < lease');
  if (timings.leaseMs + timings.clockSkewMs >= timings.visibilityMs) faults.push('lease + clockSkew < visibility');
  if (timings.graceMs <= timings.clockSkewMs) faults.push('grace > clockSkew');
  if (timings.mutationMarginMs <= timings.clockSkewMs) faults.push('mutationMargin > clockSkew');
  if (timings.mutationMarginMs >= timings.leaseMs - timings.passLimitMs)
    faults.push('mutationMargin < lease - passLimit');
  if (faults.length > 0) {
    throw new EvenkeelError(
      'INVALID_TIMINGS',
      `the lease timings do not fit together: ${faults.join('; ')} must hold. Change the timings in the settings.`,
    );
  }
  return timings;
}

/** The times that decide whether a lease has expired. */
export type LeaseTerms = Pick<LeaseTimings, 'leaseMs' | 'clockSkewMs'>;

/** The latest end, in epoch ms, of a lease that was taken at `nowMs` by a clock within the tolerated skew. */
export function latestLeaseEndMs({ leaseMs, clockSkewMs }: LeaseTerms, nowMs: number): number {
  return nowMs + leaseMs + clockSkewMs;
}

/**
 * Whether a lease has expired. A lease that ends later than any lease can was taken by a wrong clock, or by this one
 * before it was set back. It counts as expired too; otherwise it would last as long as the clock was wrong.
 * While clocks differ by more than the tolerated skew, two live workers may take a lease from each other; the epoch
 * fences them.
 */
export function isLeaseExpired(untilMs: number, nowMs: number, terms: LeaseTerms): boolean {
  return untilMs < nowMs || untilMs > latestLeaseEndMs(terms, nowMs);
}

/**
 * In monotonic ms, like `receivedAtMs`. A message that is older must not be started, because its redelivery could
 * overtake the pass.
 */
export function latestStartMs(timings: LeaseTimings, receivedAtMs: number): number {
  return receivedAtMs + timings.visibilityMs - timings.leaseMs - timings.clockSkewMs;
}
