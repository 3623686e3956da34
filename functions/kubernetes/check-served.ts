import type { Controller } from '../../lib/core/controller.ts';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { apiVersion, kindId, type ResourceType } from '../../lib/core/resource-type.ts';
import { type ClusterApi, isApiError } from '../../lib/ports/cluster-api.ts';

/**
 * Makes sure that the kinds of controllers are there whose CRDs nobody may have named.
 * @throws EvenkeelError DEFINITIONS_MISSING naming each kind that the cluster does not serve.
 */
export async function checkServed(api: ClusterApi, controllers: readonly Controller[]): Promise<void> {
  const faults: string[] = [];
  for (const { name, type } of controllers) {
    if (await isServed(api, type)) continue;
    faults.push(`${kindId(type)} in ${apiVersion(type)}, which controller ${name} reconciles`);
  }
  if (faults.length === 0) return;
  throw new EvenkeelError(
    'DEFINITIONS_MISSING',
    `the cluster does not serve ${faults.join('; ')}. Export the CRD in the module's \`definitions\`, or install it before.`,
  );
}

async function isServed(api: ClusterApi, type: ResourceType): Promise<boolean> {
  try {
    await api.list(type, { metadataOnly: true, limit: 1, skipUnreadable: true });
    return true;
  } catch (error) {
    if (isApiError(error, 'KindMissing')) return false;
    // An installation limited to namespaces need not list all of them; whoever refuses that serves the kind.
    if (isApiError(error, 'Forbidden')) return true;
    throw error;
  }
}
