import type { Condition, ConditionFinding, ConditionStatus } from '../../core/conditions.ts';
import type { JsonObject } from '../../core/kube-object.ts';
import { cutToCodePoints } from '../../core/text.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import { refusalText } from '../../ports/refusal-text.ts';
import type { ReadError } from './observation.ts';

export function finding(type: string, status: ConditionStatus, reason: string, message: string): ConditionFinding {
  return { type, status, reason, message };
}

export function notEvaluated(type: string, message = 'Not evaluated: see the other conditions.'): ConditionFinding {
  return finding(type, 'Unknown', 'NotEvaluated', message);
}

/** What a failed request means for a condition: refusals and missing kinds are known, everything else leaves it open. */
export function failureFinding(type: string, what: string, error: ReadError): ConditionFinding {
  const refused = isApiError(error) ? refusalText(what, error) : undefined;
  if (refused !== undefined) {
    // What evenkeel may not do leaves open whether all is well. What is refused as such was not made.
    const status = refused.reason === 'AccessDenied' ? 'Unknown' : 'False';
    return finding(type, status, refused.reason, refused.message);
  }
  if (isApiError(error, 'KindMissing')) {
    return finding(type, 'False', 'KindNotInstalled', `${what} needs a kind that is not served: install its CRD.`);
  }
  const { reason }: { reason: string } = error;
  return finding(type, 'Unknown', 'RequestFailed', `${what} failed (${reason}); it is tried again.`);
}

/** Ready as the first condition that is False, else the first that is Unknown, says. */
export function readyFinding(conditions: readonly ConditionFinding[], message: string): ConditionFinding {
  const decisive =
    conditions.find(({ status }) => status === 'False') ?? conditions.find(({ status }) => status === 'Unknown');
  if (decisive === undefined) return finding('Ready', 'True', 'AllSatisfied', message);
  return finding('Ready', decisive.status, decisive.reason, decisive.message);
}

export function conditionsJson(conditions: readonly Condition[]): JsonObject[] {
  return conditions.map(({ type, status, observedGeneration, reason, message, lastTransitionTime }) => ({
    type,
    status,
    observedGeneration,
    reason,
    message,
    lastTransitionTime,
  }));
}

/** Names in a message, the first few, each cut to what keeps it short. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => (name.length > 80 ? `${cutToCodePoints(name, 77)}...` : name));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
