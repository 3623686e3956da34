import type { DeploymentLeaseOptions } from '../deployment-lease/claim-deployment.ts';
import type { Engine } from './engine.ts';

/** The Leases that show which deployment drives each controller group of a cluster. */
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
