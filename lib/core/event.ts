import { queueId } from './hash.ts';
import { hashedKey, objectKey, parseObjectKey, versionNumber } from './observation.ts';
import type { KindId } from './resource-type.ts';
import { type Target, targetId } from './target.ts';

/** The version of the skinny event's shape. A message of another version goes to the dead-letter queue. */
export const EVENT_VERSION = 1;

export const CAUSES = [
  'created',
  'updated',
  'deleted',
  'dependency',
  'due',
  'poll',
  'resync',
  'requested',
  'fanout',
] as const;
export type Cause = (typeof CAUSES)[number];

/** What was observed of a changed object. */
export interface SeenVersion {
  readonly uid?: string;
  /** The version that was observed. Absent when the object was found missing from a complete list. */
  readonly resourceVersion?: string;
  /** The object is gone. */
  readonly deleted?: boolean;
  /** For an object found missing: the version of the list that lacked it, or the poll's dueAt. Names the observation. */
  readonly absentAt?: string;
}

/**
 * What changed, for cause `dependency`: an object that the target owns, has read, or has listed. Kind, namespace and name
 * together are its key, or the hash of it where there was no room (`hashedKey`).
 */
export interface ChangedObject extends SeenVersion {
  readonly kind: KindId;
  readonly namespace: string;
  readonly name: string;
}

/** The longest name of a target, or of a changed object, that an event holds, in characters. */
export const MAX_NAME_LENGTH = 253;
/**
 * The longest name of an object that causes `poll` and `fanout` hold in the target's place: as long as the name of any
 * object that is read. Those of RBAC have no limit of their own.
 */
export const MAX_READ_NAME_LENGTH = 1_024;
/** And the longest UID. */
export const MAX_UID_LENGTH = 64;

/**
 * The changed object named by the hash of its key, for an event that has no room for its name. The version stays only
 * where it can cover the event: what is gone or has no number for a version needs a pass in any case.
 */
export function shortChanged(changed: ChangedObject): ChangedObject {
  const short = parseObjectKey(hashedKey(objectKey(changed.kind, changed)));
  const { resourceVersion } = changed;
  const isComparable = changed.deleted !== true && versionNumber(resourceVersion) !== undefined;
  return isComparable && resourceVersion !== undefined ? { ...short, resourceVersion } : short;
}

/**
 * A wakeup: it names a target and why, never what the object looks like (R-5.1). Under 1 KB as JSON.
 * For causes `poll` and `fanout` the target's place is taken by the object that is read or that changed, and `uid` is
 * empty. Only a name of more than about 500 characters makes such an event longer than 1 KB. A release that does not know `fanout` puts such a message into its dead-letter queue (R-6.8).
 */
export interface SkinnyEvent extends Target {
  readonly v: typeof EVENT_VERSION;
  /** Counts the restores of the cluster; an event of another incarnation is never covered. */
  readonly incarnation: number;
  readonly resourceVersion?: string;
  readonly cause: Cause;
  /** When it was sent, epoch milliseconds of the sender's clock. For metrics only. */
  readonly at: number;
  /** For `dependency`. */
  readonly changed?: ChangedObject;
  /** For `deleted`: the object lives, and merely left the installation's selector. */
  readonly unselected?: boolean;
  /** For `due`: the deadline (epoch ms) and the epoch that the target's item had when this was sent. For `poll`: the deadline. */
  readonly dueAt?: number;
  readonly epoch?: number;
  /** For `resync`, and for a `deleted` that resync concluded: the tick that found it. */
  readonly tick?: number;
  /** For `poll`: the controller group whose identity reads the object. For `fanout`: the group whose objects read it. */
  readonly group?: string;
  /** For `fanout`: the round of the marker that was answered. Absent when the message was put off: its id is fresh. */
  readonly round?: number;
  /** For `fanout`: the events of its round go by the `resync` lane, since the change was found by a list. */
  readonly bulk?: boolean;
  /** For a `fanout` that goes on where an earlier message stopped: the last reader that was told, and what it was told. */
  readonly place?: string;
  readonly seen?: SeenVersion;
}

/**
 * Whether the API server named the target's namespace and name in this event: a watch or a list showed the target itself
 * (R-1.28). Any other event repeats a name from an owner reference, an edge, the target's item or a person.
 */
export function isOwnEvent({ cause, changed, tick }: Pick<SkinnyEvent, 'cause' | 'changed' | 'tick'>): boolean {
  switch (cause) {
    case 'created':
    case 'updated':
      return true;
    case 'deleted':
      // A list that lacks the target names nothing: resync repeats the name from the item.
      return tick === undefined;
    case 'resync':
      return changed === undefined;
    case 'dependency':
    case 'due':
    case 'poll':
    case 'requested':
    case 'fanout':
      return false;
  }
}

/**
 * SQS remembers a deduplication id for five minutes, even after the message was consumed, so an id names one
 * observation and never the object (R-5.2).
 * @param random used for `requested`, where each request is its own observation.
 */
export function deduplicationId(event: SkinnyEvent, random: () => string): string {
  const prefix = `${targetId(event)}/${event.incarnation}/`;
  return queueId(prefix + observationId(event, random));
}

function observationId(event: SkinnyEvent, random: () => string): string {
  switch (event.cause) {
    case 'created':
    case 'updated':
    case 'deleted':
      // A deletion found by a complete list carries no version of its own: the list's names the observation.
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

function dependencyId(event: SkinnyEvent, random: () => string): string {
  const changed = event.changed;
  if (changed === undefined) return `random:${random()}`;
  const name = `${changed.kind}/${changed.namespace}/${changed.name}`;
  if (changed.absentAt !== undefined) return `dep:${name}:absent:${changed.absentAt}`;
  return `dep:${changed.uid ?? name}:${changed.deleted === true ? 'deleted:' : ''}${changed.resourceVersion ?? random()}`;
}
