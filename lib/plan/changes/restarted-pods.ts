import type { JsonObject } from '../../apiserver/json.ts';
import { fieldDifferences } from '../../core/field-differences.ts';
import { ownField } from '../../core/own-field.ts';
import type { ObjectChange } from './change-recorder.ts';

/** The kinds that run Pods from a template, and the path of the field with their number. */
const RUN_PODS: Readonly<Record<string, readonly string[]>> = {
  'deployments.apps': ['spec', 'replicas'],
  'statefulsets.apps': ['spec', 'replicas'],
  'daemonsets.apps': ['status', 'desiredNumberScheduled'],
};

/**
 * The number of running Pods that a change ends: a deleted Pod, or the Pods of a workload that is deleted or whose
 * template changes.
 */
export function restartedPods({ collection, before, after }: ObjectChange): number {
  if (before === undefined) return 0;
  if (collection === 'pods') return after === undefined ? 1 : 0;
  const countField = RUN_PODS[collection];
  if (countField === undefined) return 0;
  const isSame = after !== undefined && fieldDifferences(templateOf(before), templateOf(after)).length === 0;
  const count = countField.reduce<unknown>(ownField, before);
  return isSame ? 0 : typeof count === 'number' ? count : 1;
}

function templateOf(object: JsonObject): unknown {
  return { template: ownField(object.spec, 'template') };
}
