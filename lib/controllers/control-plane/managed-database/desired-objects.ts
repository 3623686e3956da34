import type { DesiredObject } from '../../../core/kube-object.ts';
import { quantityNanos } from '../../../core/quantity.ts';
import { apiVersion, Namespaces } from '../../../core/resource-type.ts';
import { Clusters } from '../kinds.ts';
import { CLUSTER_NAME, databaseNamespace } from '../names.ts';
import { RETAIN_ANNOTATION } from '../ownership.ts';
import type { DatabaseSpec } from './database-spec.ts';

const IMAGE = 'ghcr.io/cloudnative-pg/postgresql';

export function desiredNamespace(uid: string, spec: DatabaseSpec): DesiredObject {
  const retains = spec.deletionPolicy === 'Retain';
  return {
    apiVersion: apiVersion(Namespaces),
    kind: Namespaces.kind,
    metadata: {
      name: databaseNamespace(uid),
      ...(retains && { annotations: { [RETAIN_ANNOTATION]: 'true' } }),
    },
  };
}

/** @param presentSize of the existing Cluster: a smaller size is never requested. */
export function desiredCluster(uid: string, spec: DatabaseSpec, presentSize: string | undefined): DesiredObject {
  return {
    apiVersion: apiVersion(Clusters),
    kind: Clusters.kind,
    metadata: { namespace: databaseNamespace(uid), name: CLUSTER_NAME },
    spec: {
      imageName: `${IMAGE}:${spec.engineVersion}`,
      instances: spec.instances,
      storage: { size: shrinks(spec, presentSize) ? presentSize : spec.storage },
    },
  };
}

/** Volumes cannot shrink. */
export function shrinks({ storage }: DatabaseSpec, presentSize: string | undefined): boolean {
  const [wanted, present] = [quantityNanos(storage), quantityNanos(presentSize ?? '')];
  return wanted !== undefined && present !== undefined && wanted < present;
}
