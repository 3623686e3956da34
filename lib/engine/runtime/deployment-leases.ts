import type { Clock } from '../../ports/clock.ts';
import type { ClusterApi } from '../../ports/cluster-api.ts';
import type { DeploymentLeaseOptions } from '../deployment-lease/claim-deployment.ts';
import type { DeploymentTimings } from '../deployment-lease/deployment-timings.ts';
import type { Registry } from '../registry.ts';

/** One cluster, and the deployment that drives it. */
export interface DrivenCluster {
  readonly api: ClusterApi;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly options: {
    readonly cluster: string;
    readonly deployment?: { readonly name: string; readonly namespace: string; readonly timings: DeploymentTimings };
  };
}

/** The Leases that show which deployment drives each controller group of a cluster. */
export function deploymentLeases({
  api,
  registry,
  clock,
  options: { cluster, deployment },
}: DrivenCluster): DeploymentLeaseOptions[] {
  if (deployment === undefined) return [];
  const { name, namespace, timings } = deployment;
  return registry.groups().map((group) => ({ api, cluster, group, deployment: name, namespace, clock, timings }));
}
