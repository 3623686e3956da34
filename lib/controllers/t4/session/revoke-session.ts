import type { ConditionInput } from '../../../core/conditions.ts';
import type { ReconcileResult } from '../../../core/controller.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { type Outcome, retry, terminal } from '../../../core/outcome.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { conditionFalse, notEvaluated } from '../../../kit/conditions.ts';
import { checkBy } from '../recheck.ts';
import type { Child } from './child.ts';
import type { Verdict } from './evaluate-session.ts';
import { lateAtMs, tellingStuck } from './pod-state.ts';
import type { SessionChildren } from './session-children.ts';
import { PREREQUISITE_CONDITIONS } from './session-conditions.ts';
import { ownershipConflict, remainingNames, sessionStatus } from './session-status.ts';

export type Refusal = Extract<Verdict, { type: 'refused' }>;

/**
 * Deletes Pod and Service and reports why. If they are gone already, it changes nothing. While any read of the pass
 * failed, it reports why, deletes nothing, and is retried.
 */
export function revokeSession(
  session: KubeObject,
  children: SessionChildren,
  { reason, message, conditions }: Refusal,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const whenDone = (pod: Child) => checkBy(context.nowMs, lateAtMs(pod));
  return revoke(session, children, conditions, conditionFalse('Available', reason, message), whenDone, context);
}

/** For an invalid specification: nothing in it can be trusted, and only an edit helps. */
export function revokeInvalid(
  session: KubeObject,
  children: SessionChildren,
  message: string,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const available = conditionFalse('Available', 'InvalidSpec', message);
  // After a terminal outcome only an edit brings a pass, and no event reports a Pod that does not end.
  const outcome = (pod: Child) => {
    const soon = checkBy(context.nowMs, lateAtMs(pod));
    return soon.type === 'settled' ? terminal('InvalidSpec', message) : soon;
  };
  return revoke(
    session,
    children,
    PREREQUISITE_CONDITIONS.map((type) => notEvaluated(type)),
    available,
    outcome,
    context,
  );
}

async function revoke(
  session: KubeObject,
  children: SessionChildren,
  conditions: readonly ConditionInput[],
  refused: ConditionInput,
  whenDone: (pod: Child) => Outcome,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  await children.remove();
  const available = tellingStuck(children.hasConflict ? ownershipConflict() : refused, children.pod, context.nowMs);
  const error = children.failure?.error ?? children.unread?.error ?? children.doubt;
  const names = remainingNames(session, children);
  return {
    outcome: error === undefined ? whenDone(children.pod) : retry(error),
    progressing: false,
    status: sessionStatus(session, [...conditions, available], 'Failed', names, context.nowMs),
  };
}
