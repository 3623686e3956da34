import type { ConditionInput } from '../../../core/conditions.ts';
import type { JsonObject, KubeObject } from '../../../core/kube-object.ts';
import { baseStatus, conditionFalse, conditionTrue, statusFields } from '../../../kit/conditions.ts';
import { isUnread } from '../../../kit/observation.ts';
import { textAt } from '../../../kit/value-at.ts';
import type { Child } from './child.ts';
import { isDisrupted, isReady, stuckMessage, whyNotReady } from './pod-state.ts';
import type { SessionChildren } from './session-children.ts';

export type SessionPhase = 'Pending' | 'Running' | 'Failed' | 'Terminating' | 'Unknown';

export interface Availability {
  readonly available: ConditionInput;
  readonly phase: SessionPhase;
}

/** The state of a session that may run. */
export function availability({ pod, service, hasConflict }: SessionChildren, nowMs: number): Availability {
  if (hasConflict) return { available: ownershipConflict(), phase: 'Failed' };
  const ofPod = podAvailability(pod, nowMs);
  if (ofPod.available.status !== 'True' || service.type === 'owned') return ofPod;
  const message = 'The Service is being replaced.';
  return { available: conditionFalse('Available', 'ServiceNotReady', message), phase: ofPod.phase };
}

export function ownershipConflict(): ConditionInput {
  const message =
    "Under the name of the session's Pod or Service is somebody else's object, which is left alone: remove it.";
  return conditionFalse('Available', 'ResourceOwnershipConflict', message);
}

function podAvailability(pod: Child, nowMs: number): Availability {
  const stuck = stuckMessage(pod, nowMs);
  if (stuck !== undefined)
    return { available: conditionFalse('Available', 'PodStuckTerminating', stuck), phase: 'Pending' };
  if (pod.type !== 'owned') {
    return { available: conditionFalse('Available', 'PodNotReady', 'The Pod is being replaced.'), phase: 'Pending' };
  }
  if (isDisrupted(pod.object)) {
    const message = 'The Pod was evicted, or its node is gone. Another Pod takes its place after a delay.';
    return { available: conditionFalse('Available', 'PodEvicted', message), phase: 'Pending' };
  }
  if (textAt(pod.object.status, 'phase') === 'Failed') {
    return { available: conditionFalse('Available', 'PodFailed', 'The Pod failed: see its status.'), phase: 'Failed' };
  }
  if (isReady(pod.object)) {
    return { available: conditionTrue('Available', 'PodReady', 'The Pod is ready.'), phase: 'Running' };
  }
  const { reason, message } = whyNotReady(pod.object, nowMs);
  return { available: conditionFalse('Available', reason, message), phase: 'Pending' };
}

export function sessionStatus(
  session: KubeObject,
  conditions: readonly ConditionInput[],
  phase: SessionPhase,
  names: ChildNames,
  nowMs: number,
): JsonObject {
  return { ...baseStatus(session, conditions, nowMs), phase, ...names };
}

/** Neither Pod nor Service is there any more. */
export function releasedSession({ status }: KubeObject): JsonObject {
  const { podName: _, serviceName: __, ...rest } = statusFields(status);
  return { ...rest, phase: 'Terminating' };
}

export interface ChildNames {
  readonly podName?: string;
  readonly serviceName?: string;
}

/** The names of the children of the session. For a child that could not be read, the name in the status stays. */
export function childNames(session: KubeObject, children: SessionChildren): ChildNames {
  return namesOf(session, children, (child) => child.type === 'owned' || child.type === 'terminating');
}

/** The names for a session that must have no children: a child that is being deleted is not named any more. */
export function remainingNames(session: KubeObject, children: SessionChildren): ChildNames {
  return namesOf(session, children, (child) => child.type === 'owned');
}

function namesOf(
  session: KubeObject,
  { pod, service }: SessionChildren,
  isNamed: (child: Child) => boolean,
): ChildNames {
  const nameOf = (child: Child, before: string | undefined) => {
    if (isUnread(child)) return before;
    return isNamed(child) && 'object' in child ? child.object.metadata.name : undefined;
  };
  const podName = nameOf(pod, textAt(session.status, 'podName'));
  const serviceName = nameOf(service, textAt(session.status, 'serviceName'));
  return { ...(podName !== undefined && { podName }), ...(serviceName !== undefined && { serviceName }) };
}
