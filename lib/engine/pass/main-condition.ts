import { conditionEntries, conditionTypes } from '../../core/condition-owners.ts';
import { type Condition, type ConditionInput, mergeConditions, readConditions } from '../../core/conditions.ts';
import type { Controller, ReconcileResult } from '../../core/controller.ts';
import type { JsonObject, KubeObject } from '../../core/kube-object.ts';
import type { Outcome } from '../../core/outcome.ts';
import { factsOf } from '../outcome-facts.ts';

/** Ready, or Available for a kind that has that instead. */
const MAIN_TYPES = ['Ready', 'Available'] as const;

/** A status to publish, and where its parts come from. */
export interface StatusPlan {
  readonly status: JsonObject;
  /** The types of the conditions in it that the engine computed. */
  readonly byEngine: readonly string[];
  /** Whether its other conditions are the present ones, because the controller returned no status. */
  readonly asFound: boolean;
}

export interface StatusInput {
  readonly controller: Controller;
  /** The object on the API server. */
  readonly object: KubeObject;
  /** The condition types that are known to belong to the controller. */
  readonly owned: ReadonlySet<string>;
  readonly nowMs: number;
}

/** The condition that shows a person the state of the object: Ready, or Available for a kind that has that instead. */
export function mainCondition(object: KubeObject | undefined): Condition | undefined {
  const conditions = readConditions(object?.status);
  return MAIN_TYPES.map((main) => conditions.find(({ type }) => type === main)).find((found) => found !== undefined);
}

/** The main condition in one line, e.g. `Ready False KeyMissing`; undefined when the object has none. */
export function mainConditionText(object: KubeObject | undefined): string | undefined {
  const main = mainCondition(object);
  return main === undefined ? undefined : `${main.type} ${main.status} ${main.reason}`;
}

/**
 * The status for an object that no retry can help: its main condition is False. If the controller itself
 * returned one, it stays, unless it is True or Unknown. The other conditions are never changed.
 * @returns undefined when there is nothing to publish.
 */
export function terminalStatus(
  input: StatusInput,
  outcome: Extract<Outcome, { type: 'terminal' }>,
  given: JsonObject | undefined,
): StatusPlan | undefined {
  return withMainFalse(input, given, (status) => status === 'False', {
    reason: conditionReason(outcome.reason),
    message: outcome.message,
  });
}

/**
 * The status for an object that is being deleted and whose cleanup has not ended. The controller's main condition stays
 * unless it is True.
 */
export function terminatingStatus(
  input: StatusInput,
  outcome: Outcome,
  given: JsonObject | undefined,
): StatusPlan | undefined {
  const evaluated = (plan: StatusPlan | undefined) => (given === undefined ? plan && notEvaluated(plan, input) : plan);
  const { terminal, cleanup: message } = factsOf(outcome);
  if (terminal !== undefined) return evaluated(terminalStatus(input, terminal, given));
  return evaluated(withMainFalse(input, given, (status) => status !== 'True', { reason: 'Terminating', message }));
}

/**
 * The status for an object that is being deleted, whose cleanup has ended, and that finalizers of others still keep.
 * @param released the rest of the status, if the controller returned one.
 */
export function releasedStatus(
  input: StatusInput,
  released: JsonObject | undefined,
  message: string,
): StatusPlan | undefined {
  const object = released === undefined ? input.object : { ...input.object, status: released };
  const terminating = { reason: 'Terminating', message };
  const plan = withMainFalse({ ...input, object }, undefined, () => false, terminating, input.object);
  if (plan !== undefined) return notEvaluated(plan, input);
  return released && { status: released, byEngine: [], asFound: true };
}

/**
 * The status without the conditions that the engine wrote, because their reason is over. The engine never sets a main
 * condition to True, so one that is True now belongs to somebody else.
 */
export function clearedStatus({ object }: StatusInput, madeByEngine: readonly string[]): StatusPlan | undefined {
  const entries = conditionEntries(object.status) ?? [];
  const isOver = (entry: unknown) =>
    readConditions({ conditions: [entry] }).some(
      ({ type, status }) => status !== 'True' && madeByEngine.includes(type),
    );
  const kept = entries.filter((entry) => !isOver(entry));
  if (kept.length === entries.length) return undefined;
  const { conditions: _, ...rest } = object.status as JsonObject;
  return { status: { ...rest, ...(kept.length > 0 && { conditions: kept }) }, byEngine: [], asFound: true };
}

function withMainFalse(
  { controller, object, owned, nowMs }: StatusInput,
  given: JsonObject | undefined,
  stands: (status: Condition['status']) => boolean,
  { reason, message }: Pick<ConditionInput, 'reason' | 'message'>,
  before: KubeObject = object,
): StatusPlan | undefined {
  const unchanged = given === undefined ? undefined : { status: given, byEngine: [], asFound: false };
  const type = mainType(controller, object, owned, given);
  if (type === undefined) return unchanged;
  const said = readConditions(given).find((condition) => condition.type === type);
  if (said !== undefined && stands(said.status)) return unchanged;
  const base = given ?? statusOf(object);
  const mainFalse = { type, status: 'False', reason, message } as const;
  const generation = object.metadata.generation ?? 0;
  const merged = mergeConditions(readConditions(before.status), [mainFalse], generation, nowMs);
  const status = withConditions(base, merged);
  const hasGeneration = given === undefined && ('observedGeneration' in base || isEmpty(base));
  return {
    status: hasGeneration ? { ...status, observedGeneration: generation } : status,
    byEngine: [type],
    asFound: given === undefined,
  };
}

/** A condition that was True was not checked since: no controller checks it while the object is being deleted. */
function notEvaluated(plan: StatusPlan, { object, owned, nowMs }: StatusInput): StatusPlan {
  const before = readConditions(object.status);
  const stale = readConditions(plan.status).filter(({ type, status }) => status === 'True' && owned.has(type));
  const inputs = stale.map(({ type }) => ({
    type,
    status: 'Unknown' as const,
    reason: 'NotEvaluated',
    message: 'Not evaluated: the object is being deleted.',
  }));
  const merged = mergeConditions(before, inputs, object.metadata.generation ?? 0, nowMs);
  return { ...plan, status: withConditions(plan.status, merged) };
}

/** The main condition among the types that a controller declares. */
export function declaredMainType({ conditions = [] }: Pick<Controller, 'conditions'>): string | undefined {
  return MAIN_TYPES.find((main) => conditions.includes(main));
}

function mainType(
  { type, conditions }: Controller,
  { status }: KubeObject,
  owned: ReadonlySet<string>,
  given: JsonObject | undefined,
): string | undefined {
  if (conditions !== undefined) return declaredMainType({ conditions });
  if (isBuiltIn(type.group)) return undefined;
  const inStatus = (types: Iterable<string>) => {
    const known = new Set(types);
    return MAIN_TYPES.find((main) => known.has(main));
  };
  // When a controller publishes conditions without a main one, these say everything that it has to say.
  if (given !== undefined) return inStatus(conditionTypes(given));
  if (owned.size > 0) return inStatus(owned) ?? MAIN_TYPES[0];
  // When it is not known who wrote them, the conditions on the object count as the controller's. If the object has no
  // status at all, it is not known yet which conditions its kind has. If it has a status without conditions, its kind
  // has none.
  const main = inStatus(conditionTypes(status));
  return main ?? (isEmpty(statusOf({ status })) ? MAIN_TYPES[0] : undefined);
}

/** Kinds of Kubernetes itself: no controller of ours owns their status. */
function isBuiltIn(group: string): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}

function statusOf({ status }: { readonly status?: unknown } | KubeObject): JsonObject {
  return typeof status === 'object' && status !== null && !Array.isArray(status) ? (status as JsonObject) : {};
}

function isEmpty(status: JsonObject): boolean {
  return Object.keys(status).every((field) => field === 'conditions');
}

/** Replaces conditions of the same types by these; others stay. */
function withConditions(status: JsonObject, conditions: readonly Condition[]): JsonObject {
  const entries = [...(conditionEntries(status) ?? [])];
  for (const condition of conditions) {
    const index = entries.findIndex((entry) => conditionTypes({ conditions: [entry] }).includes(condition.type));
    if (index < 0) entries.push({ ...condition });
    else entries[index] = { ...condition };
  }
  return { ...status, conditions: entries };
}

/** The reason of a condition, and of an Event, has a fixed form. The reason of an outcome may have another one. */
export function conditionReason(reason: string): string {
  return /^[A-Za-z][A-Za-z0-9_]{0,127}$/.test(reason) ? reason : 'Terminal';
}

/** Whether a person is needed: the object does not only wait for something. */
export function hasFailed({ outcome, status }: ReconcileResult): boolean {
  return factsOf(outcome).terminal !== undefined || status?.phase === 'Failed';
}
