import type { ConditionInput } from '../../../core/conditions.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { conditionInput } from '../../../kit/conditions.ts';
import { failureCondition, listedNames } from '../../../kit/failure-conditions.ts';
import { isUnread, type Observation, observe } from '../../../kit/observation.ts';
import { Gateways } from '../kinds.ts';

/**
 * The names of the Gateways that refer to the database, including those that are being deleted, from a list of the API server
 * (R-3.4).
 */
export function readReferences(database: KubeObject, context: ReconcileContext): Promise<Observation<string[]>> {
  const namespace = database.metadata.namespace ?? '';
  return observe(async () => {
    const gateways = await context.list(Gateways, { namespace });
    return gateways
      .filter((gateway) => referredDatabase(gateway) === database.metadata.name)
      .map(({ metadata }) => metadata.name)
      .sort();
  });
}

export function inUse(references: Observation<readonly string[]>): ConditionInput {
  if (isUnread(references)) return failureCondition('InUse', 'Listing the Gateways', references.error);
  const names = references.type === 'found' ? references.value : [];
  return names.length === 0
    ? conditionInput('InUse', 'False', 'NotReferenced', 'No Gateway refers to the database.')
    : conditionInput(
        'InUse',
        'True',
        'Referenced',
        `${names.length} Gateways refer to the database: ${listedNames(names)}.`,
      );
}

function referredDatabase({ spec }: KubeObject): string | undefined {
  const reference = (spec as { databaseRef?: { name?: unknown } } | undefined)?.databaseRef;
  return typeof reference?.name === 'string' ? reference.name : undefined;
}
