import type { ReconcileContext } from '../../core/reconcile-context.ts';
import { CustomResourceDefinitions, kindId, type ResourceType } from '../../core/resource-type.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import type { CleanupStep } from './cleanup.ts';

/**
 * A step that removes an object whose CustomResourceDefinition may no longer be installed. A kind that is not served proves
 * nothing about its objects. A missing definition proves that they are gone, because the API server removes a definition only
 * after all objects of the kind. Not for the kinds of the API server itself, which have no definition.
 */
export function withDefinition(step: CleanupStep, type: ResourceType, context: ReconcileContext): CleanupStep {
  return {
    what: step.what,
    async remove() {
      try {
        return await step.remove();
      } catch (error) {
        if (!isApiError(error, 'KindMissing')) throw error;
        const definition = await context.get(CustomResourceDefinitions, { namespace: '', name: kindId(type) });
        if (definition !== undefined) throw error;
        return { type: 'absent' };
      }
    },
  };
}
