import { conditionEntries, conditionTypes } from '../../core/condition-owners.ts';
import type { ConditionInput } from '../../core/conditions.ts';
import type { JsonObject, KubeObject } from '../../core/kube-object.ts';
import { conditionInput, statusFields } from '../../kit/conditions.ts';
import type { Removed } from '../../kit/ensure-owned.ts';
import { listedNames } from '../../kit/failure-conditions.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import { isIdentityError } from '../../ports/identity-provider.ts';
import { refusalText } from '../../ports/refusal-text.ts';
import { expectedError, type ReadError } from './read-error.ts';

/** True while a deletion runs; its reason says what the deletion waits for. */
export const CLEANUP_PENDING = 'CleanupPending';

/** The status after the deletion, without the fields that name removed objects. */
export function releasedFields(status: unknown, gone: readonly string[]): JsonObject {
  const kept = Object.entries(statusFields(status)).filter(([field]) => !gone.includes(field));
  const conditions = (conditionEntries(status) ?? []).filter(
    (entry) => !conditionTypes({ conditions: [entry] }).includes(CLEANUP_PENDING),
  );
  return { ...Object.fromEntries(kept), ...(conditions.length > 0 && { conditions }), phase: 'Terminating' };
}

/** One step of a deletion. It removes objects and confirms that they are absent before the next step. */
export interface CleanupStep {
  /** The name in messages, e.g. `Deployment`. */
  readonly what: string;
  remove(): Promise<Removed>;
}

export type CleanupResult =
  | { readonly type: 'done' }
  /** An object still exists, and the step waits until it is gone. */
  | { readonly type: 'waiting'; readonly condition: ConditionInput }
  /** An object of somebody else has the name. */
  | { readonly type: 'conflict'; readonly condition: ConditionInput }
  | { readonly type: 'failed'; readonly condition: ConditionInput; readonly error: ReadError };

/**
 * Runs the steps in order and stops at the first that is not done. It finds that step by reading what exists, never from
 * memory, so that it can start again at any time.
 */
export async function cleanUp(steps: readonly CleanupStep[]): Promise<CleanupResult> {
  for (const [index, step] of steps.entries()) {
    const remaining = steps.slice(index).map(({ what }) => what);
    let removed: Removed;
    try {
      removed = await step.remove();
    } catch (caught) {
      const error = expectedError(caught);
      return { type: 'failed', error, condition: pending(failureReason(error), failureText(step, error), remaining) };
    }
    if (removed.type === 'foreign') {
      return { type: 'conflict', condition: pending('CleanupOwnershipConflict', conflictText(step.what), remaining) };
    }
    if (removed.type === 'pending') {
      return { type: 'waiting', condition: pending('Deleting', waitingText(step, removed.object), remaining) };
    }
  }
  return { type: 'done' };
}

/**
 * A step for a read that failed before the other steps: it stops them and reports the failure. Without a failure it has
 * no effect.
 */
export function failedStep(what: string, failure: ReadError | undefined): CleanupStep[] {
  return failure === undefined ? [] : [{ what, remove: () => Promise.reject(failure) }];
}

function pending(reason: string, text: string, remaining: readonly string[]): ConditionInput {
  return conditionInput(CLEANUP_PENDING, 'True', reason, `${text} Remaining: ${remaining.join(', ')}.`);
}

function conflictText(what: string): string {
  return `${what} exists and is not evenkeel's. To continue the deletion, remove it or mark it as owned.`;
}

function failureReason(error: ReadError): string {
  if (isIdentityError(error, 'AlreadyExists')) return 'CleanupOwnershipConflict';
  if (isIdentityError(error, 'Forbidden', 'Unauthorized')) return 'AccessDenied';
  return (isApiError(error) ? refusalText('', error)?.reason : undefined) ?? 'CleanupFailed';
}

function failureText({ what }: CleanupStep, error: ReadError): string {
  if (isIdentityError(error, 'AlreadyExists')) return conflictText(what);
  if (isIdentityError(error, 'NotFound')) {
    return `The realm of the ${what} does not exist, so nothing proves that the client is gone: create the realm, or remove the finalizer by hand.`;
  }
  if (isIdentityError(error, 'Forbidden', 'Unauthorized')) {
    return `The identity server does not let evenkeel see or remove the ${what}, so nothing proves that it is gone: give its service account manage-clients of the realm.`;
  }
  const refused = isApiError(error) ? refusalText(`Removing the ${what}`, error) : undefined;
  if (refused !== undefined) return refused.message;
  return `${what} could not be removed (${error.reason}); it is tried again before anything else is removed.`;
}

function waitingText({ what }: CleanupStep, { metadata }: KubeObject): string {
  const finalizers = metadata.finalizers ?? [];
  return finalizers.length === 0
    ? `${what} is being deleted.`
    : `${what} is being deleted and waits for finalizers: ${listedNames(finalizers)}.`;
}
