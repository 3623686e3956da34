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

/** The first release of External Secrets that serves `external-secrets.io/v1`: older ones do not work. */
export const OLDEST_EXTERNAL_SECRETS = '0.16.0';

/** A kind of the External Secrets Operator; its CRD may be missing. */
export const ExternalSecrets: ResourceType = {
  group: 'external-secrets.io',
  version: 'v1',
  plural: 'externalsecrets',
  kind: 'ExternalSecret',
  namespaced: true,
};

/** The API versions of older releases. They are read only to find out whether such a release is installed. */
export const OLDER_EXTERNAL_SECRETS: readonly ResourceType[] = ['v1beta1', 'v1alpha1'].map((version) => ({
  ...ExternalSecrets,
  version,
}));
