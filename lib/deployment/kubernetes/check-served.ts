import type { Controller } from '../../core/controller.ts';
import { EvenkeelError } from '../../core/errors.ts';
import { apiVersion, CustomResourceDefinitions, kindId, type ResourceType } from '../../core/resource-type.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import { lacksStatus } from './compare-definition.ts';

/**
 * Checks that the cluster serves the kinds of the controllers, with a status subresource. The CRDs may come from
 * elsewhere.
 * @throws EvenkeelError DEFINITIONS_MISSING, with each kind that the cluster does not serve; STATUS_MISSING, with each
 * CRD without the status subresource.
 */
export async function checkServed(api: ClusterApi, controllers: readonly Controller[]): Promise<void> {
  const faults: string[] = [];
  for (const { name, type } of controllers) {
    if (await isServed(api, type)) continue;
    faults.push(`${kindId(type)} in ${apiVersion(type)}, which controller ${name} reconciles`);
  }
  if (faults.length === 0) return await checkStatus(api, controllers);
  throw new EvenkeelError(
    'DEFINITIONS_MISSING',
    `the cluster does not serve ${faults.join('; ')}. Export the CRD in the module's \`definitions\`, or install it before.`,
  );
}

async function checkStatus(api: ClusterApi, controllers: readonly Controller[]): Promise<void> {
  const found = await Promise.all(controllers.map(({ type }) => statusFault(api, type)));
  const faults = [...new Set(found.flatMap((fault) => fault ?? []))];
  if (faults.length === 0) return;
  throw new EvenkeelError(
    'STATUS_MISSING',
    `${faults.join('; ')}. Nothing was changed; apply the CRD, then start again.`,
  );
}

async function statusFault(api: ClusterApi, type: ResourceType): Promise<string | undefined> {
  try {
    const definition = await api.get(CustomResourceDefinitions, { namespace: '', name: kindId(type) });
    return lacksStatus(definition, type.version);
  } catch (error) {
    // A built-in kind, or one of an aggregated API server, has no CRD. The account may also lack the right to read
    // CRDs.
    if (isApiError(error, 'NotFound', 'Forbidden')) return undefined;
    throw error;
  }
}

async function isServed(api: ClusterApi, type: ResourceType): Promise<boolean> {
  try {
    await api.list(type, { metadataOnly: true, limit: 1, skipUnreadable: true });
    return true;
  } catch (error) {
    if (isApiError(error, 'KindMissing')) return false;
    // A limited installation may lack the right to list all namespaces. A server that forbids the list serves the kind.
    if (isApiError(error, 'Forbidden')) return true;
    throw error;
  }
}
