import { type Condition, readConditions } from '../../core/conditions.ts';
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
import { versionNumber } from '../../core/observation.ts';
import { type Outcome, settled } from '../../core/outcome.ts';
import type { Target } from '../../core/target.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import type { Logger } from '../../ports/logger.ts';
import type { PassContext } from '../context/pass-context.ts';
import { failureNote, transitionNotes } from '../kube-events/event-note.ts';
import { describeFailure, outcomeOfError } from './failure.ts';
import { addFinalizerPatch, removeFinalizerPatch } from './finalizer.ts';

export type AttemptResult =
  /** The target is gone: absent, or another UID has its name. */
  | { readonly type: 'gone' }
  | {
      readonly type: 'ran';
      /** What was done with it: paused and unmanaged targets are only recorded. */
      readonly mode: 'reconciled' | 'finalizing' | 'paused' | 'unmanaged' | 'deleting';
      readonly outcome: Outcome;
      readonly object: KubeObject | undefined;
      /** Ready, where the status that was published turned it. */
      readonly turned?: Condition;
    };

export interface AttemptOptions {
  readonly controller: Controller;
  readonly target: Target;
  readonly api: ClusterApi;
  readonly context: PassContext;
  readonly scope: InstallationScope;
  readonly selector: LabelSelector | undefined;
  readonly logger: Logger;
}

/**
 * Load live, reconcile or finalize, publish. What fails on the way is an outcome, except trouble with the table or the
 * queue, which leaves the message for redelivery. A pass that had to stop for its lease may still hold it, with nobody
 * after it: whether it does is for the commit to tell.
 * @throws InfrastructureError
 */
export async function runAttempt(options: AttemptOptions): Promise<AttemptResult> {
  const { context } = options;
  try {
    const object = await load(options);
    if (object === undefined) return { type: 'gone' };
    context.begin(object);
    return await handle(options, object);
  } catch (error) {
    if (error instanceof InfrastructureError) throw error;
    const { reason } = describeFailure(error);
    // Somebody was faster: the usual end of a race, and the next pass reads anew.
    if (isApiError(error, 'Conflict')) options.logger.info('a write was outdated; the pass is retried', { reason });
    else options.logger.error('pass failed', error, { reason });
    return { type: 'ran', mode: 'reconciled', outcome: outcomeOfError(error), object: context.target };
  }
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
  const { controller, context } = options;
  if (!isManaged(options, object)) return { type: 'ran', mode: 'unmanaged', outcome: settled(), object };
  if (object.metadata.annotations?.[PAUSED_ANNOTATION] === 'true')
    return { type: 'ran', mode: 'paused', outcome: settled(), object };
  if (object.metadata.deletionTimestamp !== undefined) return await handleDeleting(options, object);
  if (controller.finalizer !== undefined && !hasFinalizer(object, controller.finalizer)) {
    await context.patchFinalizers(object, addFinalizerPatch(object, controller.finalizer));
  }
  const result = await controller.reconcile(context.target ?? object, context);
  return await publish(options, 'reconciled', result);
}

function isManaged({ scope, selector, controller }: AttemptOptions, { metadata }: KubeObject): boolean {
  if (controller.onlyManaged === true) return metadata.labels?.[MANAGED_BY_LABEL] === MANAGED_BY_VALUE;
  const inNamespace =
    scope.namespaces === undefined || metadata.namespace === undefined || scope.namespaces.includes(metadata.namespace);
  return inNamespace && (selector === undefined || selector.matches(metadata.labels));
}

/** Cleanup is driven by the deleting object and its finalizer. */
async function handleDeleting(options: AttemptOptions, object: KubeObject): Promise<AttemptResult> {
  const { controller, context } = options;
  if (
    controller.finalizer === undefined ||
    controller.finalize === undefined ||
    !hasFinalizer(object, controller.finalizer)
  ) {
    return { type: 'ran', mode: 'deleting', outcome: settled(), object };
  }
  const result = await controller.finalize(object, context);
  if (!result.done) return await publish(options, 'finalizing', result);
  const latest = context.target ?? object;
  // A controller may have taken it off together with something else.
  if (hasFinalizer(latest, controller.finalizer))
    await context.patchFinalizers(latest, removeFinalizerPatch(latest, controller.finalizer));
  return { type: 'ran', mode: 'finalizing', outcome: settled(), object: context.target };
}

function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** The status goes out only when it differs in meaning, conditional on UID and the version that was read. */
async function publish(
  options: AttemptOptions,
  mode: 'reconciled' | 'finalizing',
  result: ReconcileResult,
): Promise<AttemptResult> {
  const { context } = options;
  const object = context.target;
  if (object === undefined || result.status === undefined)
    return { type: 'ran', mode, outcome: result.outcome, object };
  const published = await context.publishStatus(result.status);
  if (published === object) return { type: 'ran', mode, outcome: result.outcome, object };
  const failed = mainCondition(object) === undefined && hasFailed(result) ? mainCondition(published) : undefined;
  recordTransitions(context, object, published, failed, result);
  const [before, after] = [object, published].map(readyOf);
  const turned = after?.status === before?.status ? undefined : after;
  return { type: 'ran', mode, outcome: result.outcome, object: published, ...(turned !== undefined && { turned }) };
}

/** A person is needed: it is not merely waiting for something. */
function hasFailed({ outcome, status }: ReconcileResult): boolean {
  return outcome.type === 'terminal' || status?.phase === 'Failed';
}

function readyOf(object: KubeObject | undefined): Condition | undefined {
  return readConditions(object?.status).find(({ type }) => type === 'Ready');
}

/** The condition that tells a person how the object is: Ready, or Available where a kind has that instead. */
export function mainCondition(object: KubeObject | undefined): Condition | undefined {
  const conditions = readConditions(object?.status);
  return readyOf(object) ?? conditions.find(({ type }) => type === 'Available');
}

/** @param failed the main condition of an object that has failed with the first status it has. */
function recordTransitions(
  context: PassContext,
  before: KubeObject,
  after: KubeObject,
  failed: Condition | undefined,
  { outcome }: ReconcileResult,
): void {
  const notes = transitionNotes(readConditions(before.status), readConditions(after.status));
  for (const note of failed?.status === 'False' ? [...notes, failureNote(failed)] : notes)
    context.recordTransition(after, { ...note, isTerminal: outcome.type === 'terminal' });
}

/** The versions that this attempt leaves as observed of the target itself. */
export function observedOf(object: KubeObject | undefined): { observedVersion?: number; observedGeneration?: number } {
  if (object === undefined) return {};
  const version = versionNumber(object.metadata.resourceVersion);
  const generation = object.metadata.generation;
  return {
    ...(version === undefined ? {} : { observedVersion: version }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}
