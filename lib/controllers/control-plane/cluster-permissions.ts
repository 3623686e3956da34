import type { GroupPermissions } from '../group.ts';

const GROUP = 'hypershell.evenkeel.dev';

/**
 * The permissions of the group in a cluster. Its objects are in namespaces that it creates itself, whose names are
 * not known beforehand. No identity may list Secrets: they are read by exact name.
 */
export const permissions: GroupPermissions = {
  about:
    'Its objects lie in namespaces that it makes itself, whose names are not known beforehand, so its ClusterRoles cannot be bound namespace by namespace. Nothing may list Secrets: they are read by exact name.',
  reach:
    'The group reaches all namespaces, also in an installation limited to some: its objects lie in namespaces that it makes.',
  reconcile: [
    {
      why: 'Finalizers are set by a patch of the object. Gateways are listed before a database goes, and both kinds before an orphaned namespace does.',
      apiGroups: [GROUP],
      resources: ['gateways', 'manageddatabases'],
      verbs: ['get', 'list', 'patch'],
    },
    { apiGroups: [GROUP], resources: ['gateways/status', 'manageddatabases/status'], verbs: ['patch'] },
    {
      apiGroups: [''],
      resources: ['namespaces', 'secrets', 'services'],
      verbs: ['get', 'create', 'patch', 'delete'],
    },
    {
      why: 'These go with their namespace.',
      apiGroups: [''],
      resources: ['serviceaccounts', 'configmaps'],
      verbs: ['get', 'create', 'patch'],
    },
    { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['get', 'create', 'patch'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'create', 'patch', 'delete'] },
    {
      why: 'Listed over all namespaces: which route has a host.',
      apiGroups: ['gateway.networking.k8s.io'],
      resources: ['grpcroutes'],
      verbs: ['get', 'list', 'create', 'patch', 'delete'],
    },
    {
      apiGroups: ['postgresql.cnpg.io'],
      resources: ['clusters', 'databases', 'databaseroles'],
      verbs: ['get', 'create', 'patch', 'delete'],
    },
    {
      why: 'Whether a kind that is not served any more has objects left.',
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      resourceNames: [
        'clusters.postgresql.cnpg.io',
        'databases.postgresql.cnpg.io',
        'databaseroles.postgresql.cnpg.io',
        'grpcroutes.gateway.networking.k8s.io',
      ],
      verbs: ['get'],
    },
    {
      why: 'Condition transitions; a repeated one is read and counted. The deletion of an orphaned namespace.',
      apiGroups: ['events.k8s.io'],
      resources: ['events'],
      verbs: ['get', 'create', 'patch'],
    },
  ],
  relayAbout: "Owned kinds are watched by evenkeel's label, as metadata.",
  relay: [
    { apiGroups: [GROUP], resources: ['gateways', 'manageddatabases'], verbs: ['list', 'watch'] },
    {
      apiGroups: [''],
      resources: ['namespaces', 'serviceaccounts', 'configmaps', 'services'],
      verbs: ['list', 'watch'],
    },
    { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['list', 'watch'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list', 'watch'] },
    { apiGroups: ['gateway.networking.k8s.io'], resources: ['grpcroutes'], verbs: ['list', 'watch'] },
    {
      apiGroups: ['postgresql.cnpg.io'],
      resources: ['clusters', 'databases', 'databaseroles'],
      verbs: ['list', 'watch'],
    },
  ],
};
