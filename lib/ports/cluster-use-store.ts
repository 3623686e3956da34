import type { KindId } from '../core/resource-type.ts';

/**
 * What a cluster has of a deployment. As long as it has a finalizer or a Lease of the deployment, objects could not be deleted
 * after the deployment is gone.
 */
export interface ClusterUse {
  readonly cluster: string;
  /** The finalizers of the deployment that at least one object has, by kind. */
  readonly finalizers: Readonly<Record<KindId, readonly string[]>>;
  /** The Leases in evenkeel-system that name the deployment. */
  readonly leases: readonly string[];
  /** The API server's digests of the schemas of the deployment's kinds, by group and version: `evenkeel.dev/v1alpha1`. */
  readonly schemas: Readonly<Record<string, string>>;
  /** The release of the relay that read this. */
  readonly release: string;
  /** Since when it has been like this, epoch ms. */
  readonly sinceMs: number;
}

/** The records of the clusters that a deployment uses or used. Methods reject with InfrastructureError. */
export interface ClusterUseStore {
  /** Undefined when no relay has recorded the cluster, or when it was forgotten. */
  read(cluster: string): Promise<ClusterUse | undefined>;
  /** All records, sorted by the clusters' names. */
  list(): Promise<ClusterUse[]>;
  /**
   * Replaces the record of the cluster.
   * @param relayEpoch of the relay that holds the cluster. The record of a newer relay stays.
   * @returns false when a newer relay has recorded the cluster.
   */
  record(use: ClusterUse, relayEpoch: number): Promise<boolean>;
  /** Removes the record of a cluster, if there is one. */
  forget(cluster: string): Promise<void>;
}
