import type { ReconcileContext } from '../../core/reconcile-context.ts';
import { CustomResourceDefinitions, kindId, type ResourceType } from '../../core/resource-type.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import type { CleanupStep } from './cleanup.ts';

/**
 * A step that removes an object of a kind whose CustomResourceDefinition may not be installed any more. Do not use it
 * for the API server's own kinds, which have no definition.
 */
export function withDefinition(step: CleanupStep, type: ResourceType, context: ReconcileContext): CleanupStep {
  return {
    what: step.what,
    async remove() {
      try {
        return await step.remove();
      } catch (error) {
        if (await provesAbsence(error, type, context)) return { type: 'absent' };
        throw error;
      }
    },
  };
}

/**
 * Whether the error of a read or a removal proves that the cluster has no object of the kind. A kind that is not served proves
 * nothing about its objects. A missing definition proves that they are gone, because the API server removes a definition only
 * after all objects of the kind.
 */
export async function provesAbsence(error: unknown, type: ResourceType, context: ReconcileContext): Promise<boolean> {
  if (!isApiError(error, 'KindMissing')) return false;
  return (await context.get(CustomResourceDefinitions, { namespace: '', name: kindId(type) })) === undefined;
}
