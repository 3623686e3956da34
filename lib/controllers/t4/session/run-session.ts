import type { ReconcileResult } from '../../../core/controller.ts';
import { EvenkeelError } from '../../../core/errors.ts';
import type { DesiredObject, KubeObject } from '../../../core/kube-object.ts';
import { type Outcome, retry } from '../../../core/outcome.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { conditionUnknown } from '../../../kit/conditions.ts';
import { refusedCondition, unreadCondition } from '../../../kit/failure-conditions.ts';
import { isApiError } from '../../../ports/cluster-api.ts';
import { offeredBy } from '../cluster-host/cluster-host.ts';
import { checkBy, recheckSoon } from '../recheck.ts';
import { desiredPod } from './desired-pod.ts';
import { holdSession } from './hold-session.ts';
import { isDisrupted, lateAtMs, slowAtMs, tellingStuck } from './pod-state.ts';
import { type Evaluated, evaluateAgain } from './read-prerequisites.ts';
import { replaceAtMs } from './replacement.ts';
import { revokeSession } from './revoke-session.ts';
import { doubtOf, objectOf, type Seen } from './seen.ts';
import type { SessionChildren } from './session-children.ts';
import { type Availability, availability, childNames, sessionStatus } from './session-status.ts';

/**
 * Creates and repairs the Service and the Pod of an authorized session. The claim is evaluated once more immediately before a
 * Pod is created, and, if anything was written, before the status is published. If the claim was replaced at
 * the very moment of the creation, this pass removes the Pod again. If it is replaced later, its own event does.
 */
export async function runSession(
  session: KubeObject,
  children: SessionChildren,
  authorized: Evaluated,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  let evaluated = authorized;
  await children.keepService({ mayCreate: children.mayCreate });
  const { pod, claim } = podOf(session, evaluated.seen);
  const atMs = await replacementOf(children, context);
  const replace = atMs !== undefined && atMs <= context.nowMs;
  await children.keepPod({ pod, claim, replace }, async () => {
    evaluated = await evaluateAgain(evaluated, session, context);
    return evaluated.verdict.type === 'authorized';
  });
  if (children.acted && evaluated.verdict.type === 'authorized')
    evaluated = await evaluateAgain(evaluated, session, context);

  const { verdict } = evaluated;
  children.doubt = doubtOf(evaluated.seen);
  if (verdict.type === 'refused') return await revokeSession(session, children, verdict, context);
  if (verdict.type === 'undecided') return await holdSession(session, children, verdict, context);
  // The next pass handles a conflict with fresh reads.
  if (isApiError(children.failure?.error, 'Conflict')) throw children.failure.error;
  const { available, phase } = stateOf(children, context.nowMs);
  return {
    outcome: outcomeOf(children, replace ? undefined : atMs, context),
    progressing: phase === 'Pending',
    status: sessionStatus(
      session,
      [...verdict.conditions, tellingStuck(available, children.pod, context.nowMs)],
      phase,
      childNames(session, children),
      context.nowMs,
    ),
  };
}

/** When an evicted Pod may be replaced; undefined for any other. */
async function replacementOf({ pod }: SessionChildren, context: ReconcileContext): Promise<number | undefined> {
  return pod.type === 'owned' && isDisrupted(pod.object) ? await replaceAtMs(pod.object, context) : undefined;
}

function podOf(session: KubeObject, seen: Seen): { pod: DesiredObject; claim: KubeObject } {
  const { spec, settings, digestKey, readings } = seen;
  const host = offeredBy(readings.host);
  const [claim, configMap, secret] = [objectOf(seen, 'claim'), objectOf(seen, 'configMap'), objectOf(seen, 'secret')];
  const { runtimeImage: image, omp: references } = settings;
  if (!host || !claim || !configMap || !secret || image === undefined || references === undefined) {
    throw new EvenkeelError('NOT_AUTHORIZED', 'a session passed all checks without what its Pod is made from');
  }
  const pod = desiredPod({ session, spec, image, digestKey, host, claim, references, configMap, secret });
  return { pod, claim };
}

function stateOf(children: SessionChildren, nowMs: number): Availability {
  const { unread, failure } = children;
  if (unread !== undefined) {
    return { available: unreadCondition('Available', unread.kind, unread), phase: 'Unknown' };
  }
  if (failure !== undefined) {
    // The condition of a refused write names what refused it.
    const refused = refusedCondition('Available', `Writing the ${failure.kind}`, failure.error);
    if (refused !== undefined) return { available: refused, phase: 'Pending' };
    const message = `The ${failure.kind} could not be written; it is tried again.`;
    return { available: conditionUnknown('Available', `${failure.kind}WriteFailed`, message), phase: 'Unknown' };
  }
  return availability(children, nowMs);
}

function outcomeOf(children: SessionChildren, replaceAtMs: number | undefined, context: ReconcileContext): Outcome {
  const failure = children.failure ?? children.unread;
  if (failure !== undefined) return retry(failure.error);
  const { pod, service, hasConflict } = children;
  // Another object had the name for a moment. Its removal may not have been watched.
  const isMissing = !hasConflict && (pod.type === 'absent' || service.type === 'absent');
  if (isMissing) return recheckSoon(context);
  const slowMs = pod.type === 'owned' ? slowAtMs(pod.object) : undefined;
  return checkBy(context.nowMs, replaceAtMs, lateAtMs(pod), slowMs);
}
