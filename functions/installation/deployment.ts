import {
  claimDeployment,
  type DeploymentClaim,
  type DeploymentLeaseOptions,
  releaseDeployment,
} from '../../lib/engine/deployment-lease/claim-deployment.ts';
import { DeploymentGuard } from '../../lib/engine/deployment-lease/deployment-guard.ts';
import { SYSTEM_NAMESPACE } from '../kubernetes/system-namespace.ts';
import type { Installation } from './installation.ts';

/** The Leases by which a cluster knows the one deployment that drives each controller group. */
function deploymentLeases(installation: Installation): DeploymentLeaseOptions[] {
  const { api, settings, registry, deployment, deploymentTimings: timings, clock } = installation;
  return registry.groups().map((group) => ({
    api,
    cluster: settings.cluster,
    group,
    deployment,
    namespace: SYSTEM_NAMESPACE,
    clock,
    timings,
  }));
}

/** A guard for each group; of one process, so that its passes share what was read. */
export function deploymentGuards(installation: Installation): Map<string, DeploymentGuard> {
  return new Map(deploymentLeases(installation).map((lease) => [lease.group, new DeploymentGuard(lease)]));
}

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

/** Gives the groups back, so that the next deployment need not wait. Only once no pass runs any more. */
export async function releaseGroups(installation: Installation): Promise<void> {
  for (const lease of deploymentLeases(installation)) await releaseDeployment(lease);
}
