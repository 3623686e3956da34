import { type ConditionInput, type ConditionStatus, mergeConditions, readConditions } from '../core/conditions.ts';
import type { JsonObject, KubeObject } from '../core/kube-object.ts';

/** A condition without its generation and time; `baseStatus` adds these. */
export function conditionInput(type: string, status: ConditionStatus, reason: string, message: string): ConditionInput {
  return { type, status, reason, message };
}

export function conditionTrue(type: string, reason: string, message: string): ConditionInput {
  return conditionInput(type, 'True', reason, message);
}

export function conditionFalse(type: string, reason: string, message: string): ConditionInput {
  return conditionInput(type, 'False', reason, message);
}

/** Unknown, because a read failed or a request got no answer. */
export function conditionUnknown(type: string, reason: string, message: string): ConditionInput {
  return conditionInput(type, 'Unknown', reason, message);
}

/** Unknown, because another condition must hold first. */
export function notEvaluated(type: string, message = 'Not evaluated: see the other conditions.'): ConditionInput {
  return conditionUnknown(type, 'NotEvaluated', message);
}

/**
 * A condition that summarizes others. It is False, with the reason and message of the first one that is False;
 * otherwise Unknown, with those of the first one that is Unknown; otherwise True.
 * @param whenTrue its type, and its reason and message when all others are True.
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
 * The fields that every status starts with: observedGeneration, and the conditions in the order of the inputs. A
 * condition keeps its lastTransitionTime while its status does not change.
 * @param object the object that was read: its generation is the one of the inputs, and its conditions are the published
 * ones.
 * @param nowMs epoch ms, `context.nowMs`.
 */
export function baseStatus(object: KubeObject, inputs: readonly ConditionInput[], nowMs: number): BaseStatus {
  const observedGeneration = object.metadata.generation ?? 0;
  const conditions = mergeConditions(readConditions(object.status), inputs, observedGeneration, nowMs);
  return { observedGeneration, conditions };
}

// A type, because an interface cannot be used as a part of a status.
export type BaseStatus = { observedGeneration: number; conditions: ReturnType<typeof mergeConditions> };

/** The fields of a status that came from outside; empty when it is not an object. */
export function statusFields(status: unknown): JsonObject {
  return typeof status === 'object' && status !== null && !Array.isArray(status) ? (status as JsonObject) : {};
}
