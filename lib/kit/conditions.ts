import { type ConditionInput, type ConditionStatus, mergeConditions, readConditions } from '../core/conditions.ts';
import type { JsonObject, KubeObject } from '../core/kube-object.ts';

/** A condition as a controller computes it. `baseStatus` adds generation and time. */
export function conditionInput(type: string, status: ConditionStatus, reason: string, message: string): ConditionInput {
  return { type, status, reason, message };
}

export function conditionTrue(type: string, reason: string, message: string): ConditionInput {
  return conditionInput(type, 'True', reason, message);
}

export function conditionFalse(type: string, reason: string, message: string): ConditionInput {
  return conditionInput(type, 'False', reason, message);
}

/** Nothing is known: a read failed, or a request has no answer. */
export function conditionUnknown(type: string, reason: string, message: string): ConditionInput {
  return conditionInput(type, 'Unknown', reason, message);
}

/** Unknown, because another condition came first. */
export function notEvaluated(type: string, message = 'Not evaluated: see the other conditions.'): ConditionInput {
  return conditionUnknown(type, 'NotEvaluated', message);
}

/**
 * A condition that is as all others are: False like the first one that is False, else Unknown like the first one that is
 * Unknown, with its reason and message; else True.
 * @param whenTrue its type, and what it says when all others are True.
 */
export function conditionOfAll(
  conditions: readonly ConditionInput[],
  whenTrue: Pick<ConditionInput, 'type' | 'reason' | 'message'>,
): ConditionInput {
  const { type, reason, message } = whenTrue;
  const decisive =
    conditions.find(({ status }) => status === 'False') ?? conditions.find(({ status }) => status === 'Unknown');
  return decisive === undefined ? conditionTrue(type, reason, message) : { ...decisive, type };
}

/**
 * What every status begins with: observedGeneration, and the conditions in the order of the inputs. A condition keeps its
 * lastTransitionTime while its status stays.
 * @param object as it was read: the generation that the inputs are about, and the conditions published before.
 * @param nowMs epoch ms, `context.nowMs`.
 */
export function baseStatus(object: KubeObject, inputs: readonly ConditionInput[], nowMs: number): BaseStatus {
  const observedGeneration = object.metadata.generation ?? 0;
  const conditions = mergeConditions(readConditions(object.status), inputs, observedGeneration, nowMs);
  return { observedGeneration, conditions };
}

// A type, since an interface would not be taken for a part of a status.
export type BaseStatus = { observedGeneration: number; conditions: ReturnType<typeof mergeConditions> };

/** The fields of a status that came from outside; none of what is no object. */
export function statusFields(status: unknown): JsonObject {
  return typeof status === 'object' && status !== null && !Array.isArray(status) ? (status as JsonObject) : {};
}
