import type { ReconcileContext } from '../../core/reconcile-context.ts';
import { CustomResourceDefinitions, kindId, type ResourceType } from '../../core/resource-type.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import type { Removed } from './owned-objects.ts';

/**
 * Removes an object whose kind may not be installed any more. That a kind is not served proves nothing about its objects;
 * that its definition is gone does, since the API server removes a definition only after all objects of the kind.
 */
export async function removeWithKind(
  context: ReconcileContext,
  type: ResourceType,
  remove: () => Promise<Removed>,
): Promise<Removed> {
  try {
    return await remove();
  } catch (error) {
    if (!isApiError(error, 'KindMissing')) throw error;
    const definition = await context.get(CustomResourceDefinitions, { namespace: '', name: kindId(type) });
    if (definition !== undefined) throw error;
    return { type: 'absent' };
  }
}
