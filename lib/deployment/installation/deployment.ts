import {
  claimDeployment,
  type DeploymentClaim,
  hasLease,
  releaseDeployment,
} from '../../engine/deployment-lease/claim-deployment.ts';
import { deploymentLeases } from '../../engine/runtime/deployment-leases.ts';
import type { Installation } from './installation.ts';

/**
 * Takes the Leases of all groups for this deployment.
 * @returns the latest time before which no pass may start, on this process's monotonic clock, and the deployment that
 * had the Lease before.
 * @throws DeploymentConflictError when another deployment has a Lease and takeOver is not set.
 */
export async function claimGroups(installation: Installation, takeOver: boolean): Promise<DeploymentClaim> {
  let latest: DeploymentClaim = { readyAtMonotonicMs: Number.NEGATIVE_INFINITY, takenFrom: '' };
  for (const lease of deploymentLeases(installation)) {
    const claim = await claimDeployment({ ...lease, takeOver });
    if (claim.readyAtMonotonicMs > latest.readyAtMonotonicMs) latest = claim;
  }
  return latest;
}

/** The groups without a Lease in this cluster: no deployment has ever driven them. @throws ApiError */
export async function groupsNeverDriven(installation: Installation): Promise<string[]> {
  const never: string[] = [];
  for (const lease of deploymentLeases(installation)) if (!(await hasLease(lease))) never.push(lease.group);
  return never;
}

/** Gives the Leases back, so that the next deployment need not wait. Call it only when no pass runs any more. */
export async function releaseGroups(installation: Installation): Promise<void> {
  for (const lease of deploymentLeases(installation)) await releaseDeployment(lease);
}
