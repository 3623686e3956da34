import {
  claimDeployment,
  type DeploymentClaim,
  hasLease,
  releaseDeployment,
} from '../../engine/deployment-lease/claim-deployment.ts';
import { deploymentLeases } from '../../engine/runtime/deployment-leases.ts';
import type { Installation } from './installation.ts';

/**
 * Makes this deployment the one that drives all its groups.
 * @returns the latest time, of this process's monotonic clock, before which no pass may begin, with the deployment it was
 * taken from.
 * @throws DeploymentConflictError when another one does, unless it is to be taken over from.
 */
export async function claimGroups(installation: Installation, takeOver: boolean): Promise<DeploymentClaim> {
  let latest: DeploymentClaim = { readyAtMonotonicMs: Number.NEGATIVE_INFINITY, takenFrom: '' };
  for (const lease of deploymentLeases(installation)) {
    const claim = await claimDeployment({ ...lease, takeOver });
    if (claim.readyAtMonotonicMs > latest.readyAtMonotonicMs) latest = claim;
  }
  return latest;
}

/** The groups that no deployment has driven in this cluster: it has no Lease of them. @throws ApiError */
export async function groupsNeverDriven(installation: Installation): Promise<string[]> {
  const never: string[] = [];
  for (const lease of deploymentLeases(installation)) if (!(await hasLease(lease))) never.push(lease.group);
  return never;
}

/** Gives the groups back, so that the next deployment need not wait. Only once no pass runs any more. */
export async function releaseGroups(installation: Installation): Promise<void> {
  for (const lease of deploymentLeases(installation)) await releaseDeployment(lease);
}
