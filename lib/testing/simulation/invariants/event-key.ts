import type { ChangedObject } from '../../../core/changed-object.ts';
import type { QueueMessage } from '../../../core/event.ts';

/** The fields of any message, as its body has them. */
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

/** The same text for the same message, however its fields are ordered. */
export function eventKey(message: QueueMessage): string {
  if (message.cause !== 'fanout') return keyOf(message);
  const { step, ...request } = message;
  return keyOf({ ...request, ...step });
}

function keyOf(fields: AnyFields): string {
  const { cause, cluster, kind, namespace, name, resourceVersion, at, dueAt, epoch, tick, group } = fields;
  // A body has these also where the message has none.
  const { uid = '', incarnation = 0, changed, round, bulk, place } = fields;
  const target = [cause, cluster, kind, namespace, name, uid, incarnation, resourceVersion, at, dueAt, epoch, tick];
  const about = changed && [changed.kind, changed.namespace, changed.name, changed.uid, changed.resourceVersion];
  return [...target, group, round, bulk, place, ...(about ?? []), changed?.deleted, changed?.absentAt].join();
}

/** Of a message's body; what is no event stands for itself. */
export function messageKey(body: string): string {
  try {
    const parsed = JSON.parse(body) as AnyFields | null;
    return parsed?.cause === undefined ? body : keyOf(parsed);
  } catch {
    return body;
  }
}
