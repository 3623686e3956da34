import type { ResourceType } from '../../core/resource-type.ts';

export const SecretContracts: ResourceType = {
  group: 'evenkeel.dev',
  version: 'v1alpha1',
  plural: 'secretcontracts',
  kind: 'SecretContract',
  namespaced: true,
};

export const SecretContractGrants: ResourceType = {
  group: 'evenkeel.dev',
  version: 'v1alpha1',
  plural: 'secretcontractgrants',
  kind: 'SecretContractGrant',
  namespaced: true,
};

/** Of the External Secrets Operator; its CRD may be missing. */
export const ExternalSecrets: ResourceType = {
  group: 'external-secrets.io',
  version: 'v1',
  plural: 'externalsecrets',
  kind: 'ExternalSecret',
  namespaced: true,
};
