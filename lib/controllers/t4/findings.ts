import { type ConditionFinding, mergeConditions, readConditions } from '../../core/conditions.ts';
import type { JsonObject, KubeObject } from '../../core/kube-object.ts';

/** What every status of the group begins with. */
export function baseStatus(object: KubeObject, findings: readonly ConditionFinding[], nowMs: number): JsonObject {
  const generation = object.metadata.generation ?? 0;
  const conditions = mergeConditions(readConditions(object.status), findings, generation, nowMs);
  return { observedGeneration: generation, conditions: conditions.map((condition) => ({ ...condition })) };
}

/** The fields of a status; none of what is no object. */
export function fieldsOf(status: unknown): JsonObject {
  return typeof status === 'object' && status !== null ? (status as JsonObject) : {};
}

export function isTrue(type: string, reason: string, message: string): ConditionFinding {
  return { type, status: 'True', reason, message };
}

export function isFalse(type: string, reason: string, message: string): ConditionFinding {
  return { type, status: 'False', reason, message };
}

export function isUnknown(type: string, reason: string, message: string): ConditionFinding {
  return { type, status: 'Unknown', reason, message };
}

export function notEvaluated(type: string): ConditionFinding {
  return isUnknown(type, 'NotEvaluated', 'Not evaluated: see the other conditions.');
}
