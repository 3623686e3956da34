import type { DeploymentLeaseOptions } from '../deployment-lease/claim-deployment.ts';
import type { Engine } from './engine.ts';

/** The Leases by which a cluster knows the deployment that drives each controller group. */
export function deploymentLeases({
  api,
  registry,
  clock,
  options: { cluster, deployment },
}: Pick<Engine, 'api' | 'registry' | 'clock' | 'options'>): DeploymentLeaseOptions[] {
  if (deployment === undefined) return [];
  const { name, namespace, timings } = deployment;
  return registry.groups().map((group) => ({ api, cluster, group, deployment: name, namespace, clock, timings }));
}
