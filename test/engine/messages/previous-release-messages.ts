import { createHash } from 'node:crypto';
import { z } from 'zod';

/*
 * A copy of the code with which the previous release encodes and decodes messages: one flat record for all causes. It
 * never changes, because both releases receive each other's messages during an upgrade and after a rollback (R-6.8).
 */

const MAX_NAME_LENGTH = 253;
const MAX_READ_NAME_LENGTH = 1_024;
const MAX_UID_LENGTH = 64;

const CAUSES = ['created', 'updated', 'deleted', 'dependency', 'due', 'poll', 'resync', 'requested', 'fanout'] as const;

interface SeenVersion {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly deleted?: boolean;
  readonly absentAt?: string;
}

interface ChangedObject extends SeenVersion {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface PreviousEvent {
  readonly v: 1;
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly incarnation: number;
  readonly resourceVersion?: string;
  readonly cause: (typeof CAUSES)[number];
  readonly at: number;
  readonly changed?: ChangedObject;
  readonly unselected?: boolean;
  readonly dueAt?: number;
  readonly epoch?: number;
  readonly tick?: number;
  readonly group?: string;
  readonly round?: number;
  readonly bulk?: boolean;
  readonly place?: string;
  readonly seen?: SeenVersion;
}

function queueId(text: string): string {
  if (text.length <= 128 && /^[\x21-\x7e]*$/.test(text)) return text;
  return createHash('sha256').update(text).digest('hex');
}

export function previousId(event: PreviousEvent, random: () => string): string {
  const prefix = `${event.cluster}/${event.kind}/${event.uid}/${event.incarnation}/`;
  return queueId(prefix + observationId(event, random));
}

function observationId(event: PreviousEvent, random: () => string): string {
  switch (event.cause) {
    case 'created':
    case 'updated':
    case 'deleted':
      // A deletion found by a complete list has no version of its own, so the version of the list identifies it.
      return event.resourceVersion === undefined
        ? `random:${random()}`
        : `rv:${event.cause === 'deleted' ? 'deleted:' : ''}${event.unselected === true ? 'unselected:' : ''}${event.resourceVersion}`;
    case 'dependency':
      return dependencyId(event, random);
    case 'due':
      return `due:${event.dueAt}:${event.epoch}`;
    case 'poll':
      return `poll:${event.group}:${event.namespace}/${event.name}:${event.dueAt}`;
    case 'resync':
      return `resync:${event.tick}:${event.resourceVersion ?? ''}:${event.changed === undefined ? '' : dependencyId(event, random)}`;
    case 'requested':
      return `requested:${random()}`;
    case 'fanout': {
      const object = `fanout:${event.group}:${event.namespace}/${event.name}`;
      return `${object}:${event.round === undefined ? `again:${random()}` : `${event.round}:${event.place ?? ''}`}`;
    }
  }
}

function dependencyId(event: PreviousEvent, random: () => string): string {
  const changed = event.changed;
  if (changed === undefined) return `random:${random()}`;
  const name = `${changed.kind}/${changed.namespace}/${changed.name}`;
  if (changed.absentAt !== undefined) return `dep:${name}:absent:${changed.absentAt}`;
  return `dep:${changed.uid ?? name}:${changed.deleted === true ? 'deleted:' : ''}${changed.resourceVersion ?? random()}`;
}

export function previousGroup(event: PreviousEvent): string {
  const isOfGroup = event.cause === 'poll' || event.cause === 'fanout';
  const uid = isOfGroup ? `${event.cause}:${event.namespace}/${event.name}` : event.uid;
  return queueId(`${event.cluster}/${event.kind}/${uid}`);
}

export function previousBody(event: PreviousEvent): string {
  const body = JSON.stringify(event);
  if (event.changed === undefined) return body;
  const isNameable = event.changed.name.length <= MAX_NAME_LENGTH;
  if (isNameable && isShort(body)) return body;
  const { uid: _, ...changed } = event.changed;
  const withoutUid = JSON.stringify({ ...event, changed });
  return isNameable && isShort(withoutUid) ? withoutUid : JSON.stringify({ ...event, changed: shortChanged(changed) });
}

function isShort(body: string): boolean {
  return Buffer.byteLength(body) < 1_024;
}

function shortChanged(changed: ChangedObject): ChangedObject {
  const key = `${changed.kind}/${changed.namespace}/${changed.name}`;
  const short = { kind: '#', namespace: '', name: createHash('sha256').update(key).digest('base64url') };
  const { resourceVersion } = changed;
  const isComparable = changed.deleted !== true && isNumber(resourceVersion);
  return isComparable && resourceVersion !== undefined ? { ...short, resourceVersion } : short;
}

function isNumber(resourceVersion: string | undefined): boolean {
  if (resourceVersion === undefined || !/^[1-9][0-9]{0,15}$/.test(resourceVersion)) return false;
  return Number.isSafeInteger(Number(resourceVersion));
}

const segmentOf = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => text !== '.' && text !== '..' && !/[/%\p{Cc}]/u.test(text) && text.isWellFormed());
const segment = segmentOf(MAX_NAME_LENGTH);
const version = z.string().max(64);
/** Up to the largest integer that a double represents exactly, so the table accepts it as a number. */
const amount = z.number().min(0).max(Number.MAX_SAFE_INTEGER);

const seenSchema = z.object({
  uid: z.string().max(64).optional(),
  resourceVersion: version.optional(),
  deleted: z.boolean().optional(),
  absentAt: version.optional(),
});

const eventSchema = z.object({
  v: z.literal(1),
  cluster: z.string().min(1).max(63),
  incarnation: z.int().nonnegative(),
  kind: z.string().min(1).max(320),
  namespace: segment,
  name: segmentOf(MAX_READ_NAME_LENGTH).min(1),
  uid: z.string().max(MAX_UID_LENGTH),
  resourceVersion: version.optional(),
  cause: z.enum(CAUSES),
  at: amount,
  changed: z
    .object({
      kind: z.string().min(1).max(320),
      namespace: segment,
      name: segment.min(1),
      uid: z.string().max(MAX_UID_LENGTH).optional(),
      resourceVersion: version.optional(),
      deleted: z.boolean().optional(),
      absentAt: version.optional(),
    })
    .optional(),
  unselected: z.boolean().optional(),
  dueAt: amount.optional(),
  epoch: amount.optional(),
  tick: amount.optional(),
  group: z.string().max(63).optional(),
  round: amount.optional(),
  bulk: z.boolean().optional(),
  place: z.string().max(640).optional(),
  seen: seenSchema.optional(),
});

/** Undefined for a message that goes to the dead-letter queue. */
export function previousDecode(body: string): PreviousEvent | undefined {
  if (Buffer.byteLength(body) > 4_096) return undefined;
  const parsed = eventSchema.safeParse(JSON.parse(body));
  if (!parsed.success) return undefined;
  const event = parsed.data as PreviousEvent;
  const isOfGroup = event.cause === 'poll' || event.cause === 'fanout';
  if (!isOfGroup && event.name.length > MAX_NAME_LENGTH) return undefined;
  if (isOfGroup ? event.group === undefined : event.uid === '') return undefined;
  if (event.place !== undefined && event.seen === undefined) return undefined;
  return event;
}
