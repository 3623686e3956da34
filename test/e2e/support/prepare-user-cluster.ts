import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { ExternalSecrets } from '../../../lib/controllers/secret-contract/kinds.ts';
import type { DesiredObject } from '../../../lib/core/kube-object.ts';
import { apiVersion, kindId, Namespaces } from '../../../lib/core/resource-type.ts';
import { installDefinitions } from '../../../lib/deployment/kubernetes/install-definitions.ts';
import { bundledDefinitions } from '../../../lib/deployment/package/manifests.ts';
import { type ClusterApi, isApiError } from '../../../lib/ports/cluster-api.ts';

/** The definition that the External Secrets Operator would install, with the fields that a contract reads. */
export const externalSecretDefinition: DesiredObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: kindId(ExternalSecrets) },
  spec: {
    group: ExternalSecrets.group,
    scope: 'Namespaced',
    names: {
      plural: ExternalSecrets.plural,
      singular: 'externalsecret',
      kind: ExternalSecrets.kind,
      listKind: `${ExternalSecrets.kind}List`,
    },
    versions: [
      {
        name: ExternalSecrets.version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** Installs evenkeel's CRDs and namespace, and other kinds that contracts may name. */
export async function prepareUserCluster(user: ClusterApi): Promise<void> {
  const definitions = [...bundledDefinitions(), externalSecretDefinition];
  await installDefinitions(user, definitions, new SystemClock(), () => {});
  await createNamespace(user, 'evenkeel-system');
}

/** Creates the namespace unless it exists. */
export async function createNamespace(user: ClusterApi, name: string): Promise<void> {
  const namespace = { apiVersion: apiVersion(Namespaces), kind: Namespaces.kind, metadata: { name } };
  try {
    await user.create(Namespaces, namespace, { fieldManager: 'test' });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}
