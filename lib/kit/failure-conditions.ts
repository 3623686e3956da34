import type { ConditionInput } from '../core/conditions.ts';
import { cutToCodePoints } from '../core/text.ts';
import { type ApiError, isApiError } from '../ports/cluster-api.ts';
import { refusalText } from '../ports/refusal-text.ts';
import { conditionInput, conditionUnknown } from './conditions.ts';
import type { ReadFailure, Unread } from './observation.ts';

/**
 * The reason and message of a condition whose read was denied or failed, e.g. `HostReadFailed`. They contain no text of
 * the server.
 * @param subject the object of the read, in the form that reasons use: `Host`.
 * @param what the object of the read, in the form that a sentence uses, at its beginning or in its middle.
 */
export function unreadReason(
  subject: string,
  { type }: Unread<ReadFailure>,
  what = 'it',
): { readonly reason: string; readonly message: string } {
  return type === 'denied'
    ? { reason: `${subject}AccessDenied`, message: `Reading ${what} is forbidden to evenkeel: permit it by RBAC.` }
    : { reason: `${subject}ReadFailed`, message: `${capitalized(what)} could not be read; it is tried again.` };
}

/** A condition whose read was denied or failed: Unknown, with the reason and message of `unreadReason`. */
export function unreadCondition(
  type: string,
  subject: string,
  unread: Unread<ReadFailure>,
  what?: string,
): ConditionInput {
  const { reason, message } = unreadReason(subject, unread, what);
  return conditionUnknown(type, reason, message);
}

/**
 * A condition whose request the API server refused. Unknown when the controller has no permission for the
 * request, because the state is then unknown. False when quota, admission, validation or a deletion refused it.
 * @param what the request as a person reads it, e.g. `Making the Service`.
 * @returns undefined when the request was not refused, but failed.
 */
export function refusedCondition(type: string, what: string, error: ApiError): ConditionInput | undefined {
  const refused = refusalText(what, error);
  if (refused === undefined) return undefined;
  const status = refused.reason === 'AccessDenied' ? 'Unknown' : 'False';
  return conditionInput(type, status, refused.reason, refused.message);
}

/**
 * A condition whose request did not succeed: as `refusedCondition` when it was refused, False when its kind is not
 * served, Unknown for every other failure.
 * @param what the request as a person reads it, e.g. `Making the Service`.
 */
export function failureCondition(type: string, what: string, error: ReadFailure): ConditionInput {
  const refused = isApiError(error) ? refusedCondition(type, what, error) : undefined;
  if (refused !== undefined) return refused;
  if (isApiError(error, 'KindMissing')) {
    const message = `${what} needs a kind that is not served: install its CRD.`;
    return conditionInput(type, 'False', 'KindNotInstalled', message);
  }
  return conditionUnknown(type, 'RequestFailed', `${what} failed (${error.reason}); it is tried again.`);
}

const SHOWN_NAMES = 3;
const SHOWN_LENGTH = 80;

/**
 * Names in a message: the first three, and how many more there are.
 * @param maxLength code points; a longer name is cut and ends in `...`.
 */
export function listedNames(names: readonly string[], maxLength = SHOWN_LENGTH): string {
  const shown = names
    .slice(0, SHOWN_NAMES)
    .map((name) => (name.length > maxLength ? `${cutToCodePoints(name, maxLength - 3)}...` : name));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
