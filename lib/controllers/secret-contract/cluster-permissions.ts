import type { GroupPermissions } from '../group.ts';
import type { Section } from './settings-section.ts';

/** The permissions of the group in a cluster. */
export const permissions: GroupPermissions<Section> = {
  reconcile: [
    { apiGroups: ['evenkeel.dev'], resources: ['secretcontracts'], verbs: ['get'] },
    { apiGroups: ['evenkeel.dev'], resources: ['secretcontracts/status'], verbs: ['patch'] },
    {
      why: "Grants are found by listing the Secret's namespace.",
      apiGroups: ['evenkeel.dev'],
      resources: ['secretcontractgrants'],
      verbs: ['list'],
    },
    {
      why: 'By exact name, and in another namespace only under a grant.',
      apiGroups: [''],
      resources: ['secrets'],
      verbs: ['get'],
    },
    { apiGroups: ['external-secrets.io'], resources: ['externalsecrets'], verbs: ['get'] },
    {
      why: 'Condition transitions; a repeated one is read and counted.',
      apiGroups: ['events.k8s.io'],
      resources: ['events'],
      verbs: ['get', 'create', 'patch'],
    },
  ],
  relayAbout:
    'RBAC knows no permission for metadata alone: who may list or watch Secrets could read their values. The relay asks for PartialObjectMetadata only, so that no value leaves the API server; keep its credentials apart from those of the group.',
  relay: [
    { apiGroups: ['evenkeel.dev'], resources: ['secretcontracts', 'secretcontractgrants'], verbs: ['list', 'watch'] },
    { apiGroups: [''], resources: ['secrets'], verbs: ['list', 'watch'] },
  ],
  additional: [
    {
      name: 'mutation',
      isNeeded: ({ mutation }) => mutation.allow,
      about: 'Rolling out Deployments that carry the label evenkeel.dev/allow-mutation: "true".',
      reconcile: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'patch'] }],
      relay: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['list', 'watch'] }],
    },
  ],
};
