import { cutToCodePoints } from './text.ts';

/** `metav1.Condition`. A type, because an interface is not assignable to a part of a status. */
export type Condition = {
  type: string;
  status: ConditionStatus;
  /** The generation this condition was computed for. */
  observedGeneration: number;
  /** `^[A-Za-z][A-Za-z0-9]*$`, at most 1024 characters. */
  reason: string;
  /** At most 512 code points, without text of the server. */
  message: string;
  /** RFC 3339 in seconds, as Kubernetes writes it. */
  lastTransitionTime: string;
};

/**
 * The conditions that show tools whether an object that is not Ready becomes Ready by itself (kstatus,
 * https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus). The engine computes them for a controller that
 * declares both.
 */
export const PROGRESS_CONDITIONS = ['Reconciling', 'Stalled'] as const;

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** A condition without its generation and time; `mergeConditions` adds these. */
export interface ConditionInput {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/** @deprecated Use `ConditionInput`. This name is removed in the release after next. */
export type ConditionFinding = ConditionInput;

/** Code points, as a CustomResourceDefinition counts them. */
export const MAX_CONDITION_MESSAGE_LENGTH = 512;

/** RFC 3339 with seconds, the form of `metav1.Time`. */
export function kubeTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/**
 * The conditions to publish, in the order of the inputs. Obsolete types are removed. lastTransitionTime is kept unless the
 * condition's status changed.
 */
export function mergeConditions(
  previous: readonly Condition[] | undefined,
  inputs: readonly ConditionInput[],
  generation: number,
  nowMs: number,
): Condition[] {
  return inputs.map((input) => {
    const before = previous?.find((condition) => condition.type === input.type);
    return {
      type: input.type,
      status: input.status,
      observedGeneration: generation,
      reason: input.reason,
      message: cutToCodePoints(input.message, MAX_CONDITION_MESSAGE_LENGTH),
      lastTransitionTime: before?.status === input.status ? before.lastTransitionTime : kubeTime(nowMs),
    };
  });
}

/** Reads conditions from a status that came from outside. Entries that are not conditions are skipped. */
export function readConditions(status: unknown): Condition[] {
  if (typeof status !== 'object' || status === null) return [];
  const conditions = (status as { conditions?: unknown }).conditions;
  if (!Array.isArray(conditions)) return [];
  return conditions.filter(isCondition);
}

function isCondition(value: unknown): value is Condition {
  if (typeof value !== 'object' || value === null) return false;
  const { type, status, reason, message, lastTransitionTime } = value as Record<string, unknown>;
  return (
    typeof type === 'string' &&
    (status === 'True' || status === 'False' || status === 'Unknown') &&
    typeof reason === 'string' &&
    typeof message === 'string' &&
    typeof lastTransitionTime === 'string'
  );
}
