import type { ResourceType } from '../../core/resource-type.ts';

const GROUP = 'cluster.t4.dev';
const VERSION = 'v1alpha1';

export const T4ClusterHosts: ResourceType = {
  group: GROUP,
  version: VERSION,
  plural: 't4clusterhosts',
  kind: 'T4ClusterHost',
  namespaced: true,
};
export const T4Workspaces: ResourceType = {
  group: GROUP,
  version: VERSION,
  plural: 't4workspaces',
  kind: 'T4Workspace',
  namespaced: true,
};
export const T4Sessions: ResourceType = {
  group: GROUP,
  version: VERSION,
  plural: 't4sessions',
  kind: 'T4Session',
  namespaced: true,
};

export const PersistentVolumeClaims: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
};
export const Pods: ResourceType = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
export const Services: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'services',
  kind: 'Service',
  namespaced: true,
};
