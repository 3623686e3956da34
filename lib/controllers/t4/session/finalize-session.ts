import type { FinalizeResult } from '../../../core/controller.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { retry } from '../../../core/outcome.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { conditionFalse, notEvaluated } from '../../../kit/conditions.ts';
import { unreadCondition } from '../../../kit/failure-conditions.ts';
import { checkBy } from '../recheck.ts';
import { lateAtMs, tellingStuck } from './pod-state.ts';
import { SessionChildren } from './session-children.ts';
import { PREREQUISITE_CONDITIONS } from './session-conditions.ts';
import { childNames, sessionStatus } from './session-status.ts';

/** Done when neither Pod nor Service exists. An object of somebody else under their name keeps the session. */
export async function finalizeSession(session: KubeObject, context: ReconcileContext): Promise<FinalizeResult> {
  const children = await SessionChildren.read(session, context);
  await children.remove();
  const { pod, service, unread, failure, hasConflict } = children;
  if (pod.type === 'absent' && service.type === 'absent' && failure === undefined) return { done: true };
  const available = () => {
    if (unread !== undefined) return unreadCondition('Available', unread.kind, unread);
    return hasConflict
      ? conditionFalse(
          'Available',
          'CleanupOwnershipConflict',
          "Somebody else's object has the name of Pod or Service: remove it.",
        )
      : conditionFalse('Available', 'Terminating', 'Pod and Service are being removed.');
  };
  const error = failure?.error ?? unread?.error;
  const conditions = [
    ...PREREQUISITE_CONDITIONS.map((type) => notEvaluated(type)),
    tellingStuck(available(), pod, context.nowMs),
  ];
  return {
    done: false,
    outcome: error === undefined ? checkBy(context.nowMs, lateAtMs(pod)) : retry(error),
    status: sessionStatus(session, conditions, 'Terminating', childNames(session, children), context.nowMs),
  };
}
