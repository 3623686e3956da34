import { DEFAULT_LEASE_TIMINGS, type LeaseTimings } from '../../core/lease.ts';

/**
 * The times of a handover. The old deployment starts no pass later than `verifyEveryMs` after it last saw itself in the
 * Lease, and such a pass ends within a target's lease; the new one waits that long and `clockSkewMs` more. Each process
 * counts by its own monotonic clock.
 *
 * ```
 * old:  verifies ours     last pass begins      it has ended at the latest
 *          |-- verifyEvery ---|------ lease --------|
 * new:      takes over                              .-- skew --| first pass
 *             |---------------- handover ----------------------|
 * ```
 */
export interface DeploymentTimings {
  /** A Lease that was seen unchanged for this long plus `clockSkewMs` may be taken without --take-over. */
  readonly durationMs: number;
  readonly renewEveryMs: number;
  /** How long a reading of the Lease is valid. */
  readonly verifyEveryMs: number;
  /** The time from the takeover to the first pass. */
  readonly handoverMs: number;
  /** The largest tolerated difference between the clocks of two machines. */
  readonly clockSkewMs: number;
}

export function deploymentTimings({ leaseMs, clockSkewMs }: LeaseTimings = DEFAULT_LEASE_TIMINGS): DeploymentTimings {
  const verifyEveryMs = 60_000;
  return {
    durationMs: 900_000,
    renewEveryMs: 300_000,
    verifyEveryMs,
    handoverMs: verifyEveryMs + leaseMs + clockSkewMs,
    clockSkewMs,
  };
}
