import type { ConditionInput } from '../../../core/conditions.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { conditionInput } from '../../../kit/conditions.ts';
import type { Ensured } from '../../../kit/ensure-owned.ts';
import { failureCondition } from '../../../kit/failure-conditions.ts';
import { expectedError, type ReadError } from '../read-error.ts';

/** How one step of provisioning a Gateway ended. Only `done` permits the first creation in the next step. */
export type StepResult =
  | { readonly type: 'done' }
  /** The step waits for something outside the Gateway. An event of that starts a pass. */
  | { readonly type: 'waiting'; readonly reason: string; readonly message: string }
  /**
   * The settings do not permit the object, or another Gateway has it. Events and other settings start a pass.
   * `kept`: the existing object stays.
   */
  | { readonly type: 'refused'; readonly reason: string; readonly message: string; readonly kept: boolean }
  /** An object of somebody else has the name. */
  | { readonly type: 'conflict'; readonly message: string }
  | { readonly type: 'failed'; readonly what: string; readonly error: ReadError };

export const DONE: StepResult = { type: 'done' };

/** The reason of a step that did not begin, because an earlier step is not done. */
export const WITHHELD = 'Withheld';

export function waiting(reason: string, message: string): StepResult {
  return { type: 'waiting', reason, message };
}

export function conflict(what: string): StepResult {
  return {
    type: 'conflict',
    message: `A ${what} of the name is there and not evenkeel's: it is left as it is. Remove it, or set spec.adoption to IfUnowned if nobody owns it.`,
  };
}

/** Returns a refused or unanswered request as a result. Any other error is thrown again. */
export async function attempt(what: string, run: () => Promise<StepResult>): Promise<StepResult> {
  try {
    return await run();
  } catch (error) {
    return { type: 'failed', what, error: expectedError(error) };
  }
}

/** The result of `ensureOwned` for one object. */
export function ensuredResult(what: string, ensured: Ensured): StepResult {
  switch (ensured.type) {
    case 'present':
      return DONE;
    case 'withheld':
      return waiting(WITHHELD, `The ${what} is not made before what it depends on is ready.`);
    case 'conflict':
      return conflict(what);
    case 'terminating':
      return waiting(`${what}Terminating`, terminatingText(what, ensured.object));
  }
}

function terminatingText(what: string, { metadata }: KubeObject): string {
  const finalizers = (metadata.finalizers ?? []).slice(0, 3).join(', ');
  const whom = finalizers === '' ? '' : `, waiting for finalizers ${finalizers}`;
  return `The ${what} is being deleted${whom}; it is created again when it is gone.`;
}

/**
 * The most important result: a conflict, then a failure, then a refusal, then a wait. A wait ends by itself; a refusal
 * ends only when a person changes something.
 */
export function worst(results: readonly StepResult[]): StepResult {
  const order = ['conflict', 'failed', 'refused', 'waiting'] as const;
  for (const type of order) {
    const found = results.find((result) => result.type === type);
    if (found !== undefined) return found;
  }
  return DONE;
}

/** ResourcesApplied, from the results of all steps in the cluster. */
export function resourcesApplied(results: readonly StepResult[]): ConditionInput {
  const type = 'ResourcesApplied';
  const result = worst(results);
  switch (result.type) {
    case 'done':
      return conditionInput(type, 'True', 'AllApplied', 'Every object is as its spec asks.');
    case 'waiting':
    case 'refused':
      return conditionInput(type, 'False', result.reason, result.message);
    case 'conflict':
      return conditionInput(type, 'False', 'OwnershipConflict', result.message);
    case 'failed':
      return failureCondition(type, result.what, result.error);
  }
}

export function failureOf(results: readonly StepResult[]): ReadError | undefined {
  const failed = results.find((result) => result.type === 'failed');
  return failed?.type === 'failed' ? failed.error : undefined;
}
