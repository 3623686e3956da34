import type { ReconcileResult } from '../../../core/controller.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { retry } from '../../../core/outcome.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { conditionUnknown } from '../../../kit/conditions.ts';
import type { Verdict } from './evaluate-session.ts';
import { tellingStuck } from './pod-state.ts';
import type { SessionChildren } from './session-children.ts';
import { childNames, sessionStatus } from './session-status.ts';

export type Indecision = Extract<Verdict, { type: 'undecided' }>;

/**
 * Does not change a session while one of its dependencies cannot be read: nothing is created, and nothing deleted
 * . An existing Service is still repaired in place.
 */
export async function holdSession(
  session: KubeObject,
  children: SessionChildren,
  { reason, message, conditions, error }: Indecision,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  await children.keepService({ mayCreate: false });
  const available = tellingStuck(conditionUnknown('Available', reason, message), children.pod, context.nowMs);
  const names = childNames(session, children);
  return {
    outcome: retry(error),
    status: sessionStatus(session, [...conditions, available], 'Unknown', names, context.nowMs),
  };
}
