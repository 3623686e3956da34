import type { JsonObject } from '../core/kube-object.ts';
import type { ResourceType } from '../core/resource-type.ts';

/** What a cluster publishes to every authenticated user: the schemas of its kinds, and its version. */
export interface PublishedSchemas {
  /**
   * The schema of a kind in its version, in the form of a CRD. Undefined when the cluster does not serve that version.
   * @throws ApiError
   */
  schemaOf(type: ResourceType): Promise<JsonObject | undefined>;
  /** The version of the API server, such as `v1.37.2`. @throws ApiError */
  serverVersion(): Promise<string>;
}
