import type { GroupPermissions } from '../group.ts';

const GROUP = 'cluster.t4.dev';

/** What the group may do in a cluster. */
export const permissions: GroupPermissions = {
  reconcile: [
    { apiGroups: [GROUP], resources: ['t4clusterhosts'], verbs: ['get'] },
    {
      why: 'Finalizers are set by a patch of the object.',
      apiGroups: [GROUP],
      resources: ['t4workspaces'],
      verbs: ['get', 'patch'],
    },
    {
      why: 'Listed when a workspace is deleted: sessions keep it.',
      apiGroups: [GROUP],
      resources: ['t4sessions'],
      verbs: ['get', 'list', 'patch'],
    },
    {
      apiGroups: [GROUP],
      resources: ['t4clusterhosts/status', 't4workspaces/status', 't4sessions/status'],
      verbs: ['patch'],
    },
    {
      apiGroups: [''],
      resources: ['persistentvolumeclaims', 'pods', 'services'],
      verbs: ['get', 'create', 'patch', 'delete'],
    },
    {
      why: "By exact name, and no other: the names are those of groups.t4.omp in the installation's settings. Add the ConfigMaps that hosts name in ciProvider; without that their CIReady is Unknown.",
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: ['omp-config'],
      verbs: ['get'],
    },
    {
      why: 'The same for the Secrets.',
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: ['omp-credentials'],
      verbs: ['get'],
    },
    {
      why: 'Condition transitions; a repeated one is read and counted.',
      apiGroups: ['events.k8s.io'],
      resources: ['events'],
      verbs: ['get', 'create', 'patch'],
    },
  ],
  relayAbout: 'Neither ConfigMaps nor Secrets: the group itself polls those that sessions use.',
  relay: [
    { apiGroups: [GROUP], resources: ['t4clusterhosts', 't4workspaces', 't4sessions'], verbs: ['list', 'watch'] },
    { apiGroups: [''], resources: ['persistentvolumeclaims', 'pods', 'services'], verbs: ['list', 'watch'] },
  ],
  additional: [
    {
      name: 'storage',
      about:
        'No namespace holds a StorageClass: these two are bound for the whole cluster, also where an installation is limited to namespaces.',
      reconcile: [{ apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get'] }],
      relay: [{ apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['list', 'watch'] }],
    },
  ],
};
