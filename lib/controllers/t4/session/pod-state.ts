import type { ConditionInput } from '../../../core/conditions.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { listAt, textAt, valueAt } from '../../../kit/value-at.ts';
import type { Child } from './child.ts';
import { missingReference } from './missing-reference.ts';

/** A reason and a message of Available. */
export interface Explanation {
  readonly reason: string;
  readonly message: string;
}

/** Reasons of a failed Pod that its node or the cluster caused, not its content. */
const DISRUPTIONS =
  /^(Evicted|NodeLost|NodeShutdown|Shutdown|Terminated|NodeAffinity|Preempting|UnexpectedAdmissionError|OutOf[A-Za-z-]+)$/;
const IMAGE_REASONS =
  /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|ImageInspectError|RegistryUnavailable|SignatureValidationFailed)$/;
const CRASH_REASONS = /^(CrashLoopBackOff|RunContainerError|CreateContainerError|StartError|PostStartHookError)$/;

const CONFIG_REASONS = /^CreateContainerConfigError$/;

/** How long a node may take to set up a Pod before a person should look. */
const SLOW_MS = 60_000;

/** How long after its grace a Pod may take to end before a person should look. */
const LATE_MS = 300_000;

/** Whether the Pod was evicted, or lost with its node: another Pod of the same content may run. */
export function isDisrupted({ status }: KubeObject): boolean {
  const reason = textAt(status, 'reason') ?? '';
  if (reason === 'NodeLost') return true;
  return (
    textAt(status, 'phase') === 'Failed' && (DISRUPTIONS.test(reason) || isConditionTrue(status, 'DisruptionTarget'))
  );
}

export function isReady({ status }: KubeObject): boolean {
  return isConditionTrue(status, 'Ready');
}

/** The reason why a Pod that is neither ready nor failed does not start, as far as the Pod itself shows it. */
export function whyNotReady(pod: KubeObject, nowMs: number): Explanation {
  const { status } = pod;
  if (textAt(conditionOf(status, 'PodScheduled'), 'status') === 'False') {
    const message =
      'No node takes the Pod: it needs 500m CPU, 1Gi memory and its volume. Its events say what is missing.';
    return { reason: 'PodUnschedulable', message };
  }
  const containers = [...listAt(status, 'initContainerStatuses'), ...listAt(status, 'containerStatuses')];
  const waiting = (reasons: RegExp) =>
    containers.find((each) => reasons.test(textAt(each, 'state', 'waiting', 'reason') ?? ''));
  if (waiting(IMAGE_REASONS) !== undefined) {
    const message =
      "The image cannot be pulled: check that it exists and that the namespace's nodes may read its registry.";
    return { reason: 'ImageUnavailable', message };
  }
  const misconfigured = waiting(CONFIG_REASONS);
  if (misconfigured !== undefined) return { reason: 'PodConfigInvalid', message: configMessage(pod, misconfigured) };
  if (waiting(CRASH_REASONS) !== undefined || containers.some(hasCrashed)) {
    return { reason: 'PodCrashing', message: 'A container of the Pod ends and is started again: see its log.' };
  }
  const slowMs = slowAtMs(pod);
  if (slowMs !== undefined && slowMs <= nowMs) {
    const message =
      'The node has not mounted the volumes of the Pod or not set up its network. See the events of the Pod.';
    return { reason: 'PodSandboxNotReady', message };
  }
  return { reason: 'PodNotReady', message: 'The Pod is not ready yet.' };
}

function configMessage(pod: KubeObject, container: unknown): string {
  const missing = missingReference(pod, textAt(container, 'state', 'waiting', 'message') ?? '');
  if (missing !== undefined) {
    return `A container of the Pod cannot be created: ${missing} is missing, or lacks a key that the container needs.`;
  }
  return 'A container of the Pod cannot be created: its configuration is wrong, or refers to a Secret or a ConfigMap that is missing. See the events of the Pod.';
}

/**
 * Epoch ms after which the node is slow to set up the Pod; undefined for a Pod that is set up or has no node. The node
 * mounts volumes before it creates the sandbox, and only reports the sandbox.
 */
export function slowAtMs({ status }: KubeObject): number | undefined {
  const condition = conditionOf(status, 'PodReadyToStartContainers');
  if (textAt(condition, 'status') !== 'False') return undefined;
  const sinceMs = Date.parse(textAt(condition, 'lastTransitionTime') ?? '');
  return Number.isNaN(sinceMs) ? undefined : sinceMs + SLOW_MS;
}

/** A container is not ready and has ended before. The containers of these Pods should never end. */
function hasCrashed(container: unknown): boolean {
  const hasEnded = valueAt(container, 'lastState', 'terminated') ?? valueAt(container, 'state', 'terminated');
  const exitCode = valueAt(hasEnded, 'exitCode');
  return exitCode !== undefined && exitCode !== 0 && valueAt(container, 'ready') !== true;
}

/**
 * Epoch ms after which a Pod that is being deleted is late; undefined for any other. Its deletionTimestamp includes its
 * grace.
 */
export function lateAtMs(pod: Child): number | undefined {
  if (pod.type !== 'terminating') return undefined;
  const endsAtMs = Date.parse(pod.object.metadata.deletionTimestamp ?? '');
  return Number.isNaN(endsAtMs) ? undefined : endsAtMs + LATE_MS;
}

/** What to do about a Pod that does not end; undefined while it has time. */
export function stuckMessage(pod: Child, nowMs: number): string | undefined {
  const atMs = lateAtMs(pod);
  if (atMs === undefined || nowMs < atMs) return undefined;
  return 'The Pod has not ended minutes after its grace. Check its node and its finalizers. If the node is gone for good, delete the Node object.';
}

/** Adds what to do about a Pod that does not end: a person must see that in any case. */
export function tellingStuck(condition: ConditionInput, pod: Child, nowMs: number): ConditionInput {
  const stuck = stuckMessage(pod, nowMs);
  if (stuck === undefined || condition.message.includes(stuck)) return condition;
  return { ...condition, message: `${condition.message} ${stuck}` };
}

function isConditionTrue(status: unknown, type: string): boolean {
  return textAt(conditionOf(status, type), 'status') === 'True';
}

function conditionOf(status: unknown, type: string): unknown {
  return listAt(status, 'conditions').find((each) => textAt(each, 'type') === type);
}
