import type { JsonObject } from '../core/kube-object.ts';
import type { ResourceType } from '../core/resource-type.ts';

/** The schemas that a cluster publishes to everybody who is authenticated. */
export interface PublishedSchemas {
  /**
   * The schema of a kind in its version, in the form that a CRD has. Undefined when the cluster does not serve that version.
   * @throws ApiError
   */
  schemaOf(type: ResourceType): Promise<JsonObject | undefined>;
}
