import type { ResourceType } from '../../core/resource-type.ts';

const GROUP = 'hypershell.evenkeel.dev';

export const Gateways: ResourceType = {
  group: GROUP,
  version: 'v1alpha1',
  plural: 'gateways',
  kind: 'Gateway',
  namespaced: true,
};

export const ManagedDatabases: ResourceType = {
  group: GROUP,
  version: 'v1alpha1',
  plural: 'manageddatabases',
  kind: 'ManagedDatabase',
  namespaced: true,
};

/** A kind of CloudNativePG; its CRD may be missing. */
export const Clusters: ResourceType = {
  group: 'postgresql.cnpg.io',
  version: 'v1',
  plural: 'clusters',
  kind: 'Cluster',
  namespaced: true,
};
export const Databases: ResourceType = { ...Clusters, plural: 'databases', kind: 'Database' };
export const DatabaseRoles: ResourceType = { ...Clusters, plural: 'databaseroles', kind: 'DatabaseRole' };

/** A kind of the Gateway API; its CRD may be missing. */
export const GrpcRoutes: ResourceType = {
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  plural: 'grpcroutes',
  kind: 'GRPCRoute',
  namespaced: true,
};

export const Services: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'services',
  kind: 'Service',
  namespaced: true,
};
export const ServiceAccounts: ResourceType = { ...Services, plural: 'serviceaccounts', kind: 'ServiceAccount' };
export const NetworkPolicies: ResourceType = {
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
  namespaced: true,
};
