import { type ChangedObject, shortChanged } from '../../core/changed-object.ts';
import {
  changedObjectOf,
  type FanoutRequest,
  incarnationOf,
  isRequest,
  MAX_NAME_LENGTH,
  type PollRequest,
  type QueueMessage,
} from '../../core/event.ts';

const MAX_BODY_BYTES = 1_024;

/**
 * A message as JSON, in UTF-8 and less than 1,024 bytes. When names are long, the changed object's UID is left
 * out: it is also in the deduplication id. When that is not enough, or when the object's name is longer than an event
 * can hold, the hash of the object's key replaces its name.
 */
export function encodeEvent(message: QueueMessage): string {
  if (isRequest(message)) return JSON.stringify(flatRequest(message));
  const body = JSON.stringify(message);
  const changed = changedObjectOf(message);
  if (changed === undefined) return body;
  const isNameable = changed.name.length <= MAX_NAME_LENGTH;
  if (isNameable && fits(body)) return body;
  const withChanged = (short: ChangedObject) => JSON.stringify({ ...message, changed: short });
  const { uid: _, ...withoutUid } = changed;
  const shorter = withChanged(withoutUid as ChangedObject);
  return isNameable && fits(shorter) ? shorter : withChanged(shortChanged(changed));
}

function fits(body: string): boolean {
  return Buffer.byteLength(body) < MAX_BODY_BYTES;
}

/**
 * A request in version 1 of the wire form: an event in which the object to read replaces the target, with an empty UID.
 * A release that does not know `fanout` puts such a message into its dead-letter queue. Only a name of more
 * than about 500 characters makes it longer than 1 KB.
 */
function flatRequest(request: PollRequest | FanoutRequest): object {
  const { v, cluster, group, kind, namespace, name, cause, at } = request;
  const head = { v, cluster, group, kind, namespace, name, uid: '', incarnation: incarnationOf(request), cause, at };
  if (request.cause === 'poll') return { ...head, dueAt: request.dueAt };
  const { step, bulk } = request;
  return {
    ...head,
    ...(step.type !== 'again' && { round: step.round }),
    ...(step.type === 'again' && step.dueAt !== undefined && { dueAt: step.dueAt }),
    ...(step.type === 'goOn' && { place: step.place, seen: step.seen }),
    ...(bulk !== undefined && { bulk }),
  };
}
