import type { ConditionInput } from '../../../core/conditions.ts';
import { conditionFalse, conditionTrue, conditionUnknown, notEvaluated } from '../../../kit/conditions.ts';
import { unreadReason } from '../../../kit/failure-conditions.ts';
import { isUnread } from '../../../kit/observation.ts';
import type { ApiError } from '../../../ports/cluster-api.ts';
import { CHECKS, type Check } from './checks.ts';
import type { Seen, Subject } from './seen.ts';
import { PREREQUISITE_CONDITIONS, type PrerequisiteCondition } from './session-conditions.ts';

export type Verdict =
  /** The checks reached an object that must still be read. */
  | { readonly type: 'wants'; readonly subject: Subject }
  | { readonly type: 'authorized'; readonly conditions: readonly ConditionInput[] }
  | {
      readonly type: 'refused';
      readonly reason: string;
      readonly message: string;
      readonly conditions: readonly ConditionInput[];
    }
  /** An object could not be read: nothing is granted and nothing removed. */
  | {
      readonly type: 'undecided';
      readonly reason: string;
      readonly message: string;
      readonly error: ApiError;
      readonly conditions: readonly ConditionInput[];
    };

/** Runs the checks in order, as far as the reads allow. */
export function evaluateSession(seen: Seen): Verdict {
  for (const [index, check] of CHECKS.entries()) {
    if (check.on !== undefined) {
      const reading = seen.readings[check.on];
      if (reading === undefined) return { type: 'wants', subject: check.on };
      if (isUnread(reading)) {
        const { reason, message } = unreadReason(SUBJECT_NAMES[check.on], reading);
        const conditions = conditionsAt(index, conditionUnknown(check.condition, reason, message));
        return { type: 'undecided', reason, message, error: reading.error, conditions };
      }
    }
    if (check.holds(seen)) continue;
    const { reason } = check;
    const message = check.message(seen);
    return {
      type: 'refused',
      reason,
      message,
      conditions: conditionsAt(index, conditionFalse(check.condition, reason, message)),
    };
  }
  return { type: 'authorized', conditions: PREREQUISITE_CONDITIONS.map((type) => conditionAfter(CHECKS.length, type)) };
}

/** The names of the objects in reasons: `HostReadFailed`, `OMPSecretAccessDenied`. */
const SUBJECT_NAMES: Readonly<Record<Subject, string>> = {
  host: 'Host',
  workspace: 'Workspace',
  storageClass: 'StorageClass',
  claim: 'PVC',
  configMap: 'OMPConfigMap',
  secret: 'OMPSecret',
  claimAgain: 'PVC',
};

/**
 * The conditions when the checks end at one: conditions that passed before it are True, conditions that were not reached
 * Unknown.
 */
function conditionsAt(index: number, decisive: ConditionInput): ConditionInput[] {
  return PREREQUISITE_CONDITIONS.map((condition) => {
    if (condition === decisive.type) return decisive;
    return conditionAfter(index, condition);
  });
}

/** What the checks before this index show of a condition. A condition without a check of its own is never True. */
function conditionAfter(index: number, condition: PrerequisiteCondition): ConditionInput {
  const last = lastOf(condition);
  return last !== -1 && last < index ? passed(condition) : notEvaluated(condition);
}

function lastOf(condition: PrerequisiteCondition): number {
  return CHECKS.findLastIndex((check: Check) => check.condition === condition && check.repeats !== true);
}

const PASSED: Readonly<Record<PrerequisiteCondition, readonly [string, string]>> = {
  HostReady: ['HostVerified', 'The host allows the session, and its StorageClass offers ReadWriteMany.'],
  WorkspaceReady: ['WorkspaceVerified', "The workspace's claim is its own, bound and ReadWriteMany."],
  RuntimeConfigured: ['RuntimeVerified', 'Image, OMP ConfigMap and OMP Secret are as they must be.'],
};

function passed(condition: PrerequisiteCondition): ConditionInput {
  return conditionTrue(condition, ...PASSED[condition]);
}
