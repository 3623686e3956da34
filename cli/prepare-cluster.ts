import type { DesiredObject } from '../lib/core/kube-object.ts';
import { apiVersion, Namespaces } from '../lib/core/resource-type.ts';
import { createObjects } from '../lib/deployment/kubernetes/create-objects.ts';
import { checkDefinitions, installDefinitions } from '../lib/deployment/kubernetes/install-definitions.ts';
import { SYSTEM_NAMESPACE } from '../lib/deployment/kubernetes/system-namespace.ts';
import { exampleObjects } from '../lib/deployment/package/manifests.ts';
import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { Clock } from '../lib/ports/clock.ts';
import { type ClusterApi, isApiError } from '../lib/ports/cluster-api.ts';

const FIELD_MANAGER = 'evenkeel-install';

export interface PrepareOptions {
  /** The CRDs that the installed controllers need. */
  readonly definitions: readonly DesiredObject[];
  readonly install: boolean;
  /** The controller groups whose examples are created. */
  readonly examples: readonly string[];
  /** The start of a suggested kubectl command. */
  readonly kubectl: string;
}

/** Installs the CRDs, or only checks them, and then creates the examples. */
export async function prepareCluster(
  api: ClusterApi,
  options: PrepareOptions,
  terminal: Terminal,
  clock: Clock,
): Promise<void> {
  const { definitions, kubectl } = options;
  const progress = terminal.progress(options.install ? 'installing the CRDs' : 'checking the CRDs');
  try {
    if (options.install) {
      await installDefinitions(
        api,
        definitions,
        clock,
        (installed) => progress.update(`installing the CRDs: ${installed} of ${definitions.length}`),
        kubectl,
      );
      await createNamespace(api);
    } else {
      const advice = `Update it with --install-crds, or with: ${kubectl} apply --server-side -f infra/kubernetes/crds`;
      for (const notice of await checkDefinitions(api, definitions, kubectl)) terminal.err(`${notice} ${advice}`);
    }
    const installed = `${definitions.length} ${definitions.length === 1 ? 'CRD' : 'CRDs'} installed`;
    const examples = exampleObjects(options.examples);
    if (examples.length === 0) return progress.end(options.install ? installed : undefined);
    progress.update('creating the examples');
    const created = await createObjects(api, examples, definitions);
    progress.end(`${installed}, ${created} objects of examples/ created`);
  } catch (error) {
    progress.end();
    throw error;
  }
}

async function createNamespace(api: ClusterApi): Promise<void> {
  const namespace = { apiVersion: apiVersion(Namespaces), kind: Namespaces.kind, metadata: { name: SYSTEM_NAMESPACE } };
  try {
    await api.create(Namespaces, namespace, { fieldManager: FIELD_MANAGER });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}
