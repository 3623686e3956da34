/** One served resource: the fields of a kind that a URL path, a patch and an event need. */
export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Lower-case plural as in the URL, e.g. `secretcontracts`. */
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/**
 * The stable name of a kind in events, keys and logs: `plural.group`, as in a CRD's name, or only `plural` for the core
 * group. It does not contain the version, because two versions of a kind are the same objects.
 */
export type KindId = string;

export function kindId(type: Pick<ResourceType, 'group' | 'plural'>): KindId {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

export function apiVersion(type: Pick<ResourceType, 'group' | 'version'>): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** Kinds of the Kubernetes API itself that several parts of this package use. */
export const Secrets: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
};
export const ConfigMaps: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
export const Namespaces: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
export const Deployments: ResourceType = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
export const StorageClasses: ResourceType = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'storageclasses',
  kind: 'StorageClass',
  namespaced: false,
};
export const Leases: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};
export const Events: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
};
export const CustomResourceDefinitions: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};
