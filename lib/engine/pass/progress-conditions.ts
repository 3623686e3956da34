import { conditionEntries, conditionTypes } from '../../core/condition-owners.ts';
import { type ConditionInput, mergeConditions, readConditions } from '../../core/conditions.ts';
import type { Controller } from '../../core/controller.ts';
import type { JsonObject, JsonValue } from '../../core/kube-object.ts';
import { factsOf } from '../outcome-facts.ts';
import type { ReconcileOrCleanup } from './attempt-mode.ts';
import { describeFailure } from './failure.ts';
import { mainCondition, type StatusInput, type StatusPlan } from './main-condition.ts';

const RECONCILING = 'Reconciling';
const STALLED = 'Stalled';

/** What a pass came to, as far as these conditions ask. */
export interface PassCourse extends ReconcileOrCleanup {
  /** The pass before this one failed too. */
  readonly failedBefore: boolean;
  /** The types of the conditions that the engine put there last. */
  readonly madeByEngine: readonly string[];
}

/** Whether the engine computes Reconciling and Stalled for a kind: its controller declares both. */
export function showsProgress({ conditions }: Pick<Controller, 'conditions'>): boolean {
  return conditions?.includes(RECONCILING) === true && conditions.includes(STALLED);
}

/**
 * Adds Reconciling while the engine will act by itself, and Stalled when only a person or another system can help; never
 * both, and none while the object is Ready (kstatus, https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus).
 * @param plan the status to publish so far.
 */
export function withProgress(
  input: StatusInput,
  course: PassCourse,
  plan: StatusPlan | undefined,
): StatusPlan | undefined {
  if (!showsProgress(input.controller)) return plan;
  const based = plan ?? failedPlan(input, course);
  if (based === undefined) return undefined;
  const shown = progressOf(input, course, based.status);
  const before = readConditions(input.object.status);
  const generation = input.object.metadata.generation ?? 0;
  const merged = mergeConditions(before, shown === undefined ? [] : [shown], generation, input.nowMs);
  return { ...based, status: { ...based.status, conditions: [...others(based.status), ...merged] } };
}

/**
 * The status after a pass that failed: it moves to the present generation, and nothing that was Ready before counts as Ready
 * still. A single failure of a generation that was reconciled already publishes nothing: the retry comes within seconds.
 */
function failedPlan({ object, nowMs }: StatusInput, course: PassCourse): StatusPlan | undefined {
  const { failure } = factsOf(course.outcome);
  if (failure === undefined) return undefined;
  const generation = object.metadata.generation ?? 0;
  const status = (object.status ?? {}) as JsonObject;
  const isNew = status.observedGeneration !== generation;
  if (!isNew && !course.failedBefore) return undefined;
  const ready = readConditions(status).find(({ type }) => type === 'Ready');
  const stands = ready !== undefined && ready.status !== 'True' && ready.observedGeneration === generation;
  const unknown = { type: 'Ready', status: 'Unknown', ...retrying(failure.error) } as const;
  const merged = stands ? [] : mergeConditions(ready === undefined ? [] : [ready], [unknown], generation, nowMs);
  const kept = (conditionEntries(status) ?? []).filter((entry) => stands || !isOfTypes(entry, ['Ready']));
  return {
    status: { ...status, observedGeneration: generation, conditions: [...merged, ...kept] },
    byEngine: [...new Set([...course.madeByEngine, ...(stands ? [] : ['Ready'])])],
    asFound: true,
  };
}

function progressOf(
  { object }: StatusInput,
  { outcome, mode, progressing }: PassCourse,
  status: JsonObject,
): ConditionInput | undefined {
  const { terminal, failure, checkAtMs } = factsOf(outcome);
  const main = mainCondition({ ...object, status });
  const text = { reason: main?.reason ?? 'NotReady', message: main?.message ?? '' };
  if (terminal !== undefined) return { type: STALLED, status: 'True', ...text };
  if (failure !== undefined) return { type: RECONCILING, status: 'True', ...retrying(failure.error) };
  if (mode === 'finalizing') return { type: RECONCILING, status: 'True', ...text };
  if (main === undefined || main.status === 'True') return undefined;
  return { type: progressing || checkAtMs !== undefined ? RECONCILING : STALLED, status: 'True', ...text };
}

function retrying(error: unknown): Pick<ConditionInput, 'reason' | 'message'> {
  return { reason: 'Retrying', message: `The pass failed (${describeFailure(error).reason}). It is retried.` };
}

function others(status: JsonObject): JsonValue[] {
  return (conditionEntries(status) ?? []).filter((entry) => !isOfTypes(entry, [RECONCILING, STALLED]));
}

function isOfTypes(entry: JsonValue, types: readonly string[]): boolean {
  return conditionTypes({ conditions: [entry] }).some((type) => types.includes(type));
}
