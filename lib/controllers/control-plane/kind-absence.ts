import type { ReconcileContext } from '../../core/reconcile-context.ts';
import { CustomResourceDefinitions, kindId, type ResourceType } from '../../core/resource-type.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import type { CleanupStep } from './cleanup.ts';

/**
 * A step that removes an object of a CustomResourceDefinition, which may not be installed any more. That a kind is not
 * served proves nothing about its objects; that its definition is gone does, since the API server removes a definition only
 * after all objects of the kind. Never for the API server's own kinds, which have no definition.
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
