import { conditionEntries, conditionTypes, withForeignConditions } from '../../core/condition-owners.ts';
import {
  type Condition,
  type ConditionInput,
  mergeConditions,
  PROGRESS_CONDITIONS,
  readConditions,
} from '../../core/conditions.ts';
import type { Controller } from '../../core/controller.ts';
import { equalButForNulls } from '../../core/json-merge.ts';
import type { JsonObject, JsonValue } from '../../core/kube-object.ts';
import type { Outcome } from '../../core/outcome.ts';
import { factsOf } from '../outcome-facts.ts';
import type { ReconcileOrCleanup } from './attempt-mode.ts';
import { describeFailure } from './failure.ts';
import { conditionReason, declaredMainType, type StatusInput, type StatusPlan } from './main-condition.ts';

const [RECONCILING, STALLED] = PROGRESS_CONDITIONS;
const RETRYING = 'Retrying';
const RETRYING_TEXT = /^The pass failed \([A-Za-z0-9]+\)\. It is retried\.$/;

/** The result of a pass, as far as these conditions need it. */
export interface PassCourse extends ReconcileOrCleanup {
  /** Whether the pass before this one failed too. */
  readonly failedBefore: boolean;
  /** The types of the conditions that the engine wrote last. */
  readonly madeByEngine: readonly string[];
}

/** Whether the engine computes Reconciling and Stalled for a kind: its controller declares both. */
export function showsProgress({ conditions }: Pick<Controller, 'conditions'>): boolean {
  return PROGRESS_CONDITIONS.every((type) => conditions?.includes(type) === true);
}

/**
 * Adds Reconciling while the engine will act by itself, and Stalled when only a person or another system can help. It
 * never adds both, and none while the object is Ready (kstatus,
 * https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus).
 * @param plan the status to publish so far.
 */
export function withProgress(
  input: StatusInput,
  course: PassCourse,
  plan: StatusPlan | undefined,
): StatusPlan | undefined {
  if (!showsProgress(input.controller)) return plan;
  const based = plan ?? (factsOf(course.outcome).failure ? failedPlan(input, course) : foundPlan(input, course));
  if (based === undefined) return undefined;
  const shown = progressOf(input, course, based.status);
  if (shown !== undefined && !isWritten(input, plan) && stoodWithout(input)) return plan;
  const before = readConditions(input.object.status);
  const generation = input.object.metadata.generation ?? 0;
  const merged = mergeConditions(before, shown === undefined ? [] : [shown], generation, input.nowMs);
  const conditions = withShown(based.status, merged);
  if (conditions.length === 0 && based.status.conditions === undefined) return plan;
  return { ...based, status: { ...based.status, conditions } };
}

/**
 * The types of the conditions that the engine wrote on the object: the recorded ones, and those that a failed pass
 * published and did not record because it died before its commit. The latter are recognized by their text.
 */
export function madeByEngine({ controller, object }: StatusInput, recorded: readonly string[]): readonly string[] {
  const main = mainOf(controller, object.status);
  if (!showsProgress(controller) || main?.status !== 'Unknown' || recorded.includes(main.type)) return recorded;
  return main.reason === RETRYING && RETRYING_TEXT.test(main.message) ? [...recorded, main.type] : recorded;
}

/** Whether the status to publish so far has another meaning than the status on the object. */
function isWritten({ object, owned }: StatusInput, plan: StatusPlan | undefined): boolean {
  return (
    plan !== undefined && !equalButForNulls(object.status, withForeignConditions(object.status, plan.status, owned))
  );
}

/**
 * A release without these conditions published this status. They are added with the next change of it, so that an
 * upgrade writes no object only because of them.
 */
function stoodWithout({ controller, object }: StatusInput): boolean {
  const main = mainOf(controller, object.status);
  if (main === undefined || main.status === 'True' || main.observedGeneration !== object.metadata.generation)
    return false;
  return !conditionTypes(object.status).some((type) => type === RECONCILING || type === STALLED);
}

/**
 * The controller returned no status: its own conditions stay, and the engine computes its additions from them again.
 */
function foundPlan({ object }: StatusInput, { madeByEngine }: PassCourse): StatusPlan {
  return { status: (object.status ?? {}) as JsonObject, byEngine: madeByEngine, asFound: true };
}

/**
 * The status after a pass that failed: it is for the present generation, and nothing counts as Ready any more. A single
 * failure of a generation that was already reconciled publishes nothing, because the retry follows within seconds.
 */
function failedPlan(input: StatusInput, course: PassCourse): StatusPlan | undefined {
  const { controller, object, nowMs } = input;
  const generation = object.metadata.generation ?? 0;
  const status = (object.status ?? {}) as JsonObject;
  const isNew = status.observedGeneration !== generation;
  if (!isNew && !course.failedBefore) return undefined;
  const moved: StatusPlan = {
    status: { ...status, observedGeneration: generation },
    byEngine: course.madeByEngine,
    asFound: true,
  };
  const type = declaredMainType(controller);
  const main = mainOf(controller, status);
  const stands = main !== undefined && main.status !== 'True' && main.observedGeneration === generation;
  if (type === undefined || stands) return moved;
  const unknown = { type, status: 'Unknown', ...retrying(course.outcome) } as const;
  const merged = mergeConditions(main === undefined ? [] : [main], [unknown], generation, nowMs);
  const kept = (conditionEntries(status) ?? []).filter((entry) => !isOfTypes(entry, [type]));
  return {
    ...moved,
    status: { ...moved.status, conditions: [...merged, ...kept] },
    byEngine: [...new Set([...course.madeByEngine, type])],
  };
}

/**
 * The main condition that the controller declares. A condition of another type in the status belongs to somebody else.
 */
function mainOf(controller: Controller, status: unknown): Condition | undefined {
  const main = declaredMainType(controller);
  return readConditions(status).find(({ type }) => type === main);
}

function progressOf(
  { controller }: StatusInput,
  { outcome, mode, progressing }: PassCourse,
  status: JsonObject,
): ConditionInput | undefined {
  const { terminal, failure, checkAtMs } = factsOf(outcome);
  const main = mainOf(controller, status);
  const said = terminal && { reason: conditionReason(terminal.reason), message: terminal.message };
  const { reason, message } = main ?? said ?? { reason: 'NotReady', message: '' };
  const text = { reason, message };
  if (terminal !== undefined) return { type: STALLED, status: 'True', ...text };
  // A controller may know from its successful reads that its object is Ready.
  if (main?.status === 'True') return undefined;
  if (failure !== undefined) return { type: RECONCILING, status: 'True', ...retrying(outcome) };
  if (mode === 'finalizing') return { type: RECONCILING, status: 'True', ...text };
  if (main === undefined) return undefined;
  return { type: (progressing ?? checkAtMs !== undefined) ? RECONCILING : STALLED, status: 'True', ...text };
}

function retrying(outcome: Outcome): Pick<ConditionInput, 'reason' | 'message'> {
  const { reason } = describeFailure(factsOf(outcome).failure?.error);
  return { reason: RETRYING, message: `The pass failed (${reason}). It is retried.` };
}

/** Of Reconciling and Stalled, the status has only these. One that already exists keeps its position. */
function withShown(status: JsonObject, shown: readonly Condition[]): JsonValue[] {
  const left = [...shown];
  const entries = (conditionEntries(status) ?? []).flatMap((entry): JsonValue[] => {
    if (!isOfTypes(entry, [RECONCILING, STALLED])) return [entry];
    const index = left.findIndex(({ type }) => isOfTypes(entry, [type]));
    return index < 0 ? [] : left.splice(index, 1).map((condition) => ({ ...condition }));
  });
  return [...entries, ...left.map((condition) => ({ ...condition }))];
}

function isOfTypes(entry: JsonValue, types: readonly string[]): boolean {
  return conditionTypes({ conditions: [entry] }).some((type) => types.includes(type));
}
