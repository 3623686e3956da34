import type { ChangedObject, SeenVersion } from './changed-object.ts';
import { queueId } from './hash.ts';
import type { KindId } from './resource-type.ts';
import { messageGroupId, type Target, targetId } from './target.ts';

/** The version of the skinny event's shape. A message of another version goes to the dead-letter queue. */
export const EVENT_VERSION = 1;

/** The longest name of a target, or of a changed object, that an event holds, in characters. */
export const MAX_NAME_LENGTH = 253;
/**
 * The longest name of an object that a poll request or a fan-out request names: as long as the name of any object that is
 * read. Those of RBAC have no limit of their own.
 */
export const MAX_READ_NAME_LENGTH = 1_024;
/** The longest name of a person who asks for a pass. */
export const MAX_REQUESTER_LENGTH = 64;
/** And the longest UID. */
export const MAX_UID_LENGTH = 64;

interface EventHead extends Target {
  readonly v: typeof EVENT_VERSION;
  /** Counts the restores of the cluster; an event of another incarnation is never covered. */
  readonly incarnation: number;
  /** When it was sent, epoch milliseconds of the sender's clock. For metrics only. */
  readonly at: number;
}

/** A watch showed the target itself. */
export interface ShownFacts {
  readonly cause: 'created' | 'updated';
  readonly resourceVersion: string;
}

/** A watch showed the target for the last time. */
export interface DeletedFacts {
  readonly cause: 'deleted';
  readonly resourceVersion: string;
  /** The object lives, and merely left the installation's selector. */
  readonly unselected?: boolean;
  readonly tick?: never;
}

/** Resync found that a complete list lacks the target. */
export interface MissingFacts {
  readonly cause: 'deleted';
  /** The tick of resync that found it. */
  readonly tick: number;
  /** Of the list. */
  readonly resourceVersion: string;
  readonly unselected?: never;
}

/** An object that the target owns, has read, or has listed has changed. */
export interface DependencyFacts {
  readonly cause: 'dependency';
  readonly changed: ChangedObject;
}

/** The target's deadline has come. */
export interface DueFacts {
  readonly cause: 'due';
  /** The deadline, epoch milliseconds. */
  readonly dueAt: number;
  /** The epoch that the target's item had when this was sent. */
  readonly epoch: number;
}

/** Resync listed the target at another version than its last pass saw, or without an item, or for a newer reconciler. */
export interface ListedFacts {
  readonly cause: 'resync';
  readonly tick: number;
  readonly resourceVersion: string;
  readonly changed?: never;
}

/** Resync found that an object which the target's last pass read has changed. */
export interface FoundChangeFacts {
  readonly cause: 'resync';
  readonly tick: number;
  readonly changed: ChangedObject;
  readonly resourceVersion?: never;
}

/** A person asked for a pass. */
export interface RequestedFacts {
  readonly cause: 'requested';
  /** Who asked, e.g. `ann@laptop`, at most MAX_REQUESTER_LENGTH characters; absent where an older release asked. */
  readonly by?: string;
}

/** Why a target is woken, and what that cause alone says. */
export type EventFacts =
  | ShownFacts
  | DeletedFacts
  | MissingFacts
  | DependencyFacts
  | DueFacts
  | ListedFacts
  | FoundChangeFacts
  | RequestedFacts;

/** A wakeup: it names a target and why, never what the object looks like. Under 1 KB as JSON. */
export type SkinnyEvent = EventHead & EventFacts;

export type Cause = SkinnyEvent['cause'];

/** Names an object that passes of a controller group read, and the group. It is no target: it may have no UID. */
interface RequestHead {
  readonly v: typeof EVENT_VERSION;
  readonly cluster: string;
  readonly group: string;
  readonly kind: KindId;
  readonly namespace: string;
  readonly name: string;
  /** As in an event. */
  readonly at: number;
}

/** Asks for one read of a polled object, by the identity of the group. */
export interface PollRequest extends RequestHead {
  readonly cause: 'poll';
  /** The poll's deadline, epoch milliseconds. */
  readonly dueAt: number;
}

/** Where a round that has begun goes on, and what it tells. */
export interface FanoutRest {
  readonly incarnation: number;
  readonly round: number;
  /** The last reader that was told. */
  readonly place: string;
  readonly seen: SeenVersion;
}

/** Which part of its object's rounds a fan-out request asks for. */
export type FanoutStep =
  /** The round that the marker's answer named when the change was recorded. */
  | { readonly type: 'begin'; readonly incarnation: number; readonly round: number }
  /** The next round, whichever that is: the request was put off and comes back under a fresh id. */
  | {
      readonly type: 'again';
      /** When its delayed message was to come, epoch milliseconds: the marker names the message by that. */
      readonly dueAt?: number;
    }
  /** The readers that are left of a round. */
  | ({ readonly type: 'goOn' } & FanoutRest);

/** Asks for a round: tell the readers of an object in one group that it changed. */
export interface FanoutRequest extends RequestHead {
  readonly cause: 'fanout';
  /** The change was found by a list: the events of its rounds go by the `resync` lane. */
  readonly bulk?: boolean;
  readonly step: FanoutStep;
}

/** What a message on the queues of a controller group asks for: a pass of a target, or a step for an object that passes read. */
export type QueueMessage = SkinnyEvent | PollRequest | FanoutRequest;

export function isRequest(message: QueueMessage): message is PollRequest | FanoutRequest {
  return message.cause === 'poll' || message.cause === 'fanout';
}

/** The object whose change an event tells of, where that is another one than its target. */
export function changedObjectOf(event: SkinnyEvent): ChangedObject | undefined {
  return event.cause === 'dependency' || event.cause === 'resync' ? event.changed : undefined;
}

/**
 * Whether the API server named the target's namespace and name in this event: a watch or a list showed the target itself
 * . Any other event repeats a name from an owner reference, an edge, the target's item or a person.
 */
export function isOwnEvent(event: SkinnyEvent): boolean {
  switch (event.cause) {
    case 'created':
    case 'updated':
      return true;
    case 'deleted':
      // A list that lacks the target names nothing: resync repeats the name from the item.
      return event.tick === undefined;
    case 'resync':
      return event.changed === undefined;
    case 'dependency':
    case 'due':
    case 'requested':
      return false;
  }
}

/** One target, or one object that passes read, is one message group: its messages are handled one after the other. */
export function messageGroupOf(message: QueueMessage): string {
  return messageGroupId(
    isRequest(message) ? { ...message, uid: `${message.cause}:${message.namespace}/${message.name}` } : message,
  );
}

/**
 * SQS remembers a deduplication id for five minutes, even after the message was consumed, so an id names one
 * observation and never the object.
 * @param random used where each message is its own observation.
 */
export function deduplicationId(message: QueueMessage, random: () => string): string {
  const prefix = `${targetId(isRequest(message) ? { ...message, uid: '' } : message)}/${incarnationOf(message)}/`;
  return queueId(prefix + observationId(message, random));
}

/** A poll, and a round that comes again, belong to no incarnation: their ids and their form on the wire have 0 there. */
export function incarnationOf(message: QueueMessage): number {
  if (!isRequest(message)) return message.incarnation;
  return message.cause === 'poll' || message.step.type === 'again' ? 0 : message.step.incarnation;
}

function observationId(message: QueueMessage, random: () => string): string {
  switch (message.cause) {
    case 'created':
    case 'updated':
      return `rv:${message.resourceVersion}`;
    case 'deleted':
      // A deletion found by a complete list carries no version of its own: the list's names the observation.
      return `rv:deleted:${message.unselected === true ? 'unselected:' : ''}${message.resourceVersion}`;
    case 'dependency':
      return dependencyId(message.changed, random);
    case 'due':
      return `due:${message.dueAt}:${message.epoch}`;
    case 'resync': {
      const { changed } = message;
      const found = changed === undefined ? `${message.resourceVersion}:` : `:${dependencyId(changed, random)}`;
      return `resync:${message.tick}:${found}`;
    }
    case 'requested':
      return `requested:${random()}`;
    case 'poll':
      return `poll:${message.group}:${message.namespace}/${message.name}:${message.dueAt}`;
    case 'fanout':
      return `fanout:${message.group}:${message.namespace}/${message.name}:${stepId(message.step, random)}`;
  }
}

function stepId(step: FanoutStep, random: () => string): string {
  switch (step.type) {
    case 'begin':
      return `${step.round}:`;
    case 'again':
      return `again:${random()}`;
    case 'goOn':
      return `${step.round}:${step.place}`;
  }
}

function dependencyId(changed: ChangedObject, random: () => string): string {
  const name = `${changed.kind}/${changed.namespace}/${changed.name}`;
  if (changed.absentAt !== undefined) return `dep:${name}:absent:${changed.absentAt}`;
  // Nothing names the observation: each is its own.
  if (changed.resourceVersion === undefined) return `dep:${name}:${random()}`;
  return `dep:${changed.uid ?? name}:${changed.deleted === true ? 'deleted:' : ''}${changed.resourceVersion}`;
}
