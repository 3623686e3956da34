import type { CallOptions } from './cluster-api.ts';

/** What a cluster publishes of the schemas of its kinds to everybody who is authenticated. */
export interface SchemaDigests {
  /**
   * The digests of the schemas by group and version, such as `evenkeel.dev/v1alpha1`. A digest changes when a schema of the group
   * and version changes. Two API servers of one version give the same schemas the same digest.
   * @throws ApiError
   */
  digests(options?: CallOptions): Promise<ReadonlyMap<string, string>>;
}
