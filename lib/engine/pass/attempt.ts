import type { Condition } from '../../core/conditions.ts';
import type { Controller, ReconcileResult } from '../../core/controller.ts';
import { InfrastructureError } from '../../core/errors.ts';
import {
  type InstallationScope,
  MANAGED_BY_LABEL,
  MANAGED_BY_VALUE,
  PAUSED_ANNOTATION,
} from '../../core/installation.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import type { LabelSelector } from '../../core/label-selector.ts';
import { type Outcome, retry, settled } from '../../core/outcome.ts';
import type { Target } from '../../core/target.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import type { Logger } from '../../ports/logger.ts';
import type { AuthorCode } from '../author/author-code.ts';
import { caughtError } from '../author/caught-error.ts';
import type { PassContext } from '../context/pass-context.ts';
import { factsOf } from '../outcome-facts.ts';
import { describeFailure, outcomeOfError } from './failure.ts';
import { addFinalizerPatch, removeFinalizerPatch } from './finalizer.ts';
import {
  clearedStatus,
  mainCondition,
  releasedStatus,
  type StatusInput,
  type StatusPlan,
  terminalStatus,
  terminatingStatus,
} from './main-condition.ts';
import { madeByEngine, showsProgress, withProgress } from './progress-conditions.ts';
import { newlyFailed, readyOf, recordTransitions } from './record-transitions.ts';

/** How an object was handled. Paused and unmanaged objects are only recorded. */
export type AttemptMode = 'reconciled' | 'finalizing' | 'paused' | 'unmanaged' | 'deleting';

/** What an object that is being deleted waits for. */
export interface WaitsFor {
  readonly reason: string;
  readonly message: string;
}

export type AttemptResult =
  /** The target is gone: absent, or replaced by an object with another UID. */
  | { readonly type: 'gone' }
  | {
      readonly type: 'ran';
      readonly mode: AttemptMode;
      readonly outcome: Outcome;
      readonly object: KubeObject | undefined;
      /** Ready, if the published status changed it. */
      readonly turned?: Condition;
      readonly waitsFor?: WaitsFor;
    };

export interface AttemptOptions {
  readonly controller: Controller;
  readonly target: Target;
  readonly api: ClusterApi;
  readonly context: PassContext;
  readonly scope: InstallationScope;
  readonly selector: LabelSelector | undefined;
  readonly author: AuthorCode;
  /**
   * Whether a new version takes over the object. If so, its failures are reported for the rollout, because the version
   * before continues.
   */
  readonly takesOver: boolean;
  readonly logger: Logger;
}

/**
 * Loads live, reconciles or finalizes, and publishes. A failure is an outcome, except for a failure of the table or the
 * queue, after which the message is delivered again. A pass that had to stop because of its lease may still own the
 * lease; the commit finds out.
 * @throws InfrastructureError
 */
export async function runAttempt(options: AttemptOptions): Promise<AttemptResult> {
  const { context } = options;
  try {
    context.beginReads();
    const object = await load(options);
    if (object === undefined) return { type: 'gone' };
    context.begin(object);
    return await handle(options, object);
  } catch (thrown) {
    const error = caughtError(thrown);
    if (error instanceof InfrastructureError) throw error;
    return await fail(options, error);
  }
}

/**
 * The result of a failed attempt. If the target was deleted during the pass, that is a normal race and not a failure
 * (R-2.1).
 */
async function fail(options: AttemptOptions, error: unknown): Promise<AttemptResult> {
  const { context, logger } = options;
  const { reason } = describeFailure(error);
  if (isApiError(error, ...TARGET_MAY_BE_GONE) && context.target !== undefined && (await isGone(options))) {
    logger.info('the object was deleted during its pass', { reason });
    return { type: 'gone' };
  }
  // Another writer was first: the next pass reads again (R-1.12).
  if (isApiError(error, 'Conflict')) logger.info('a write was outdated; the pass is retried', { reason });
  else logger.error('pass failed', error, { reason });
  const outcome = outcomeOfError(error);
  const { failure } = factsOf(outcome);
  const object = context.target;
  const isCleaningUp = object?.metadata.deletionTimestamp !== undefined && isHeld(options, object);
  const mode = isCleaningUp ? 'finalizing' : 'reconciled';
  const failed = { type: 'ran', mode, outcome, object } as const;
  // A retry alone has no new information about an object, unless the object is being deleted.
  const isSilent = failure !== undefined && mode === 'reconciled' && !showsProgress(options.controller);
  if (object === undefined || isSilent || options.takesOver) return failed;
  if (isApiError(error, 'Conflict') || context.signal.aborted) return failed;
  try {
    return await publish(options, mode, { outcome });
  } catch (unpublished) {
    if (unpublished instanceof InfrastructureError) throw unpublished;
    logger.info('the failure could not be published; the pass is retried', {
      reason: describeFailure(unpublished).reason,
    });
    return { ...failed, object: context.target, outcome: failure ?? retry(unpublished) };
  }
}

/** The API server's answers to a write when the object is gone, or another object has its name. */
const TARGET_MAY_BE_GONE = ['NotFound', 'Conflict', 'Invalid'] as const;

/** A failed read proves nothing. */
async function isGone(options: AttemptOptions): Promise<boolean> {
  return await load(options).then(
    (object) => object === undefined,
    () => false,
  );
}

async function load({ api, controller, target, context }: AttemptOptions): Promise<KubeObject | undefined> {
  try {
    const object = await api.get(controller.type, target, { signal: context.signal });
    return object.metadata.uid === target.uid ? object : undefined;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function handle(options: AttemptOptions, object: KubeObject): Promise<AttemptResult> {
  const { controller, context, author } = options;
  if (!isManaged(options, object)) return { type: 'ran', mode: 'unmanaged', outcome: settled(), object };
  if (object.metadata.annotations?.[PAUSED_ANNOTATION] === 'true')
    return { type: 'ran', mode: 'paused', outcome: settled(), object };
  if (object.metadata.deletionTimestamp !== undefined) return await handleDeleting(options, object);
  if (controller.finalizer !== undefined && !hasFinalizer(object, controller.finalizer)) {
    await context.patchFinalizers(object, addFinalizerPatch(object, controller.finalizer));
  }
  const result = await author.reconcile(context.target ?? object, context);
  return await publish(options, 'reconciled', result);
}

function isManaged({ scope, selector, controller }: AttemptOptions, { metadata }: KubeObject): boolean {
  if (controller.onlyManaged === true) return metadata.labels?.[MANAGED_BY_LABEL] === MANAGED_BY_VALUE;
  const inNamespace =
    scope.namespaces === undefined || metadata.namespace === undefined || scope.namespaces.includes(metadata.namespace);
  return inNamespace && (selector === undefined || selector.matches(metadata.labels));
}

/** The deleting object and its finalizer start the cleanup (R-1.15). */
async function handleDeleting(options: AttemptOptions, object: KubeObject): Promise<AttemptResult> {
  const { controller, context, author } = options;
  if (controller.finalizer === undefined || !isHeld(options, object)) return await release(options, object);
  const result = await author.finalize(object, context);
  if (!result.done) return await publish(options, 'finalizing', result);
  const latest = context.target ?? object;
  // A controller may have removed it in another write.
  if (hasFinalizer(latest, controller.finalizer))
    await context.patchFinalizers(latest, removeFinalizerPatch(latest, controller.finalizer));
  const left = context.target;
  if (left !== undefined && (left.metadata.finalizers ?? []).length > 0) return await release(options, left);
  return { type: 'ran', mode: 'finalizing', outcome: settled(), object: left };
}

/** The cleanup is done. While finalizers of others keep the object, its status says so (R-1.30). */
async function release(options: AttemptOptions, object: KubeObject): Promise<AttemptResult> {
  const held = object.metadata.finalizers ?? [];
  const ended = { type: 'ran', mode: 'deleting', outcome: settled(), object } as const;
  if (held.length === 0) return ended;
  const waitsFor = {
    reason: 'Terminating',
    message: `Nothing is left to clean up. Finalizers remain: ${listed(held)}.`,
  };
  const plan = releasedStatus(statusInput(options, object), options.author.released(object), waitsFor.message);
  if (plan === undefined) return { ...ended, waitsFor };
  return { ...(await carryOut(options, ended, plan)), waitsFor };
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return `${names.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const MAX_LISTED = 5;

/** Whether the object has the finalizer of its controller. */
function isHeld({ controller }: AttemptOptions, object: KubeObject): boolean {
  const { finalizer, finalize } = controller;
  return finalizer !== undefined && finalize !== undefined && hasFinalizer(object, finalizer);
}

function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * The status is written only when its meaning changes, with the UID and version of the read as preconditions (R-1.12).
 */
async function publish(
  options: AttemptOptions,
  mode: 'reconciled' | 'finalizing',
  given: ReconcileResult,
): Promise<AttemptResult> {
  const { outcome } = given;
  const object = options.context.target;
  const ran = { type: 'ran', mode, outcome, object } as const;
  if (object === undefined) return ran;
  const { failedBefore, conditions } = options.context;
  const course = { mode, outcome, progressing: given.progressing, failedBefore };
  const input = statusInput(options, object);
  const plan = withProgress(
    input,
    { ...course, madeByEngine: madeByEngine(input, conditions.madeByEngine) },
    planStatus(options, object, mode, given),
  );
  const result = plan === undefined ? ran : await carryOut(options, ran, plan);
  if (mode === 'reconciled' || !factsOf(outcome).isDone) return result;
  const { reason, message } = mainCondition(result.object) ?? { reason: 'Terminating', message: '' };
  return { ...result, waitsFor: { reason, message } };
}

function planStatus(
  options: AttemptOptions,
  object: KubeObject,
  mode: 'reconciled' | 'finalizing',
  { outcome, status }: ReconcileResult,
): StatusPlan | undefined {
  const input = statusInput(options, object);
  if (mode === 'finalizing') return terminatingStatus(input, outcome, status);
  const { terminal, isDone } = factsOf(outcome);
  if (terminal !== undefined) return terminalStatus(input, terminal, status);
  if (status !== undefined) return { status, byEngine: [], asFound: false };
  return isDone ? clearedStatus(input, madeByEngine(input, options.context.conditions.madeByEngine)) : undefined;
}

function statusInput({ controller, context }: AttemptOptions, object: KubeObject): StatusInput {
  return { controller, object, owned: context.conditions.owned, nowMs: context.nowMs };
}

/** The API server's answers when a kind has no status, or a status with another schema. */
const REFUSED_STATUS = ['Invalid', 'Forbidden', 'NotFound', 'KindMissing'] as const;

type Ran = Extract<AttemptResult, { type: 'ran' }>;

async function carryOut(options: AttemptOptions, ran: Ran, plan: StatusPlan): Promise<Ran> {
  const { context, logger } = options;
  const object = ran.object as KubeObject;
  let published: KubeObject;
  try {
    published = await context.publishStatus(plan.status);
  } catch (error) {
    // A kind may not have the status that only the engine publishes: then the pass continues without it.
    if (!plan.asFound || !isApiError(error, ...REFUSED_STATUS)) throw error;
    if (isApiError(error, 'NotFound') && (await isGone(options))) throw error;
    logger.warn('the kind does not take a status with conditions', { reason: error.reason });
    return ran;
  }
  if (plan.asFound) context.conditions.endsAsFound(plan.byEngine);
  else context.conditions.endsWith(plan.status, plan.byEngine);
  if (published === object) return ran;
  recordTransitions(context, object, published, newlyFailed(object, published, ran.outcome, plan.status), ran.outcome);
  const [before, after] = [object, published].map(readyOf);
  const turned = after?.status === before?.status ? undefined : after;
  return { ...ran, object: published, ...(turned !== undefined && { turned }) };
}
