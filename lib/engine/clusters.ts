import type { ClusterApi } from '../ports/cluster-api.ts';

/** The clusters that this deployment reconciles. */
export interface Clusters {
  /** The API of a cluster by its name in the installation; undefined for a cluster it does not know. */
  api(cluster: string): ClusterApi | undefined;
}
