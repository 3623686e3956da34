import type { ChangedObject } from '../../../core/changed-object.ts';
import type { QueueMessage } from '../../../core/event.ts';

/** The fields that the body of a message may have. */
interface AnyFields {
  readonly cause: string;
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly at: number;
  readonly uid?: string;
  readonly incarnation?: number;
  readonly resourceVersion?: string;
  readonly dueAt?: number;
  readonly epoch?: number;
  readonly tick?: number;
  readonly group?: string;
  readonly round?: number;
  readonly bulk?: boolean;
  readonly place?: string;
  readonly changed?: ChangedObject | undefined;
}

/** Returns the same text for the same message, in any order of its fields. */
export function eventKey(message: QueueMessage): string {
  if (message.cause !== 'fanout') return keyOf(message);
  const { step, ...request } = message;
  return keyOf({ ...request, ...step });
}

function keyOf(fields: AnyFields): string {
  const { cause, cluster, kind, namespace, name, resourceVersion, at, dueAt, epoch, tick, group } = fields;
  // A body has these fields even when the message does not have them.
  const { uid = '', incarnation = 0, changed, round, bulk, place } = fields;
  const target = [cause, cluster, kind, namespace, name, uid, incarnation, resourceVersion, at, dueAt, epoch, tick];
  const about = changed && [changed.kind, changed.namespace, changed.name, changed.uid, changed.resourceVersion];
  return [...target, group, round, bulk, place, ...(about ?? []), changed?.deleted, changed?.absentAt].join();
}

/** The key of a message's body. A body that is not an event is its own key. */
export function messageKey(body: string): string {
  try {
    const parsed = JSON.parse(body) as AnyFields | null;
    return parsed?.cause === undefined ? body : keyOf(parsed);
  } catch {
    return body;
  }
}
