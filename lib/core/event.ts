import type { ChangedObject, SeenVersion } from './changed-object.ts';
import { queueId } from './hash.ts';
import type { KindId } from './resource-type.ts';
import { messageGroupId, type Target, targetId } from './target.ts';

/** The version of the event's format. A message of another version goes to the dead-letter queue. */
export const EVENT_VERSION = 1;

/** The longest name of a target, or of a changed object, in an event, in characters. */
export const MAX_NAME_LENGTH = 253;
/**
 * The longest name of an object in a poll request or a fan-out request, which is the longest name of any object that
 * can be read. Names of RBAC objects have no limit of their own.
 */
export const MAX_READ_NAME_LENGTH = 1_024;
/** The longest name of a person who asks for a pass. */
export const MAX_REQUESTER_LENGTH = 64;
/** The longest UID. */
export const MAX_UID_LENGTH = 64;

interface EventHead extends Target {
  readonly v: typeof EVENT_VERSION;
  /** The number of restores of the cluster. An event of another incarnation never counts as already observed. */
  readonly incarnation: number;
  /** When the event was sent, epoch milliseconds of the sender's clock. Only for metrics. */
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
  /** Whether the object still exists and only left the installation's selector. */
  readonly unselected?: boolean;
  readonly tick?: never;
}

/** Resync found that a complete list does not have the target. */
export interface MissingFacts {
  readonly cause: 'deleted';
  /** The tick of resync that found it. */
  readonly tick: number;
  /** The version of the list. */
  readonly resourceVersion: string;
  readonly unselected?: never;
}

/** An object that the target owns, has read, or has listed has changed. */
export interface DependencyFacts {
  readonly cause: 'dependency';
  readonly changed: ChangedObject;
}

/** The target's timer is due. */
export interface DueFacts {
  readonly cause: 'due';
  /** The due time of the timer, epoch milliseconds. */
  readonly dueAt: number;
  /** The epoch of the target's item when the event was sent. */
  readonly epoch: number;
}

/**
 * Resync listed the target at another version than its last pass saw, or without an item, or for a newer reconciler.
 */
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
  /**
   * The person, e.g. `ann@laptop`, at most MAX_REQUESTER_LENGTH characters; absent in a request of an older release.
   */
  readonly by?: string;
}

/** Why a target gets a pass, and the fields of that cause. */
export type EventFacts =
  | ShownFacts
  | DeletedFacts
  | MissingFacts
  | DependencyFacts
  | DueFacts
  | ListedFacts
  | FoundChangeFacts
  | RequestedFacts;

/** An event: it names a target and a cause, never the content of the object. Less than 1 KB as JSON. */
export type SkinnyEvent = EventHead & EventFacts;

export type Cause = SkinnyEvent['cause'];

/** Names an object that passes of a controller group read, and the group. It is not a target and may have no UID. */
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

/** Asks for one read of a polled object, with the identity of the group. */
export interface PollRequest extends RequestHead {
  readonly cause: 'poll';
  /** The due time of the poll, epoch milliseconds. */
  readonly dueAt: number;
}

/** Where a round that has started continues, and what it sends. */
export interface FanoutRest {
  readonly incarnation: number;
  readonly round: number;
  /** The last reader that got its event. */
  readonly place: string;
  readonly seen: SeenVersion;
}

/** The part of its object's rounds that a fan-out request asks for. */
export type FanoutStep =
  /** The round in the marker's answer when the change was recorded. */
  | { readonly type: 'begin'; readonly incarnation: number; readonly round: number }
  /** The next round, with any number: the request was put off and is delivered under a new id. */
  | {
      readonly type: 'again';
      /** When its delayed message is due, epoch milliseconds. The marker identifies the message by this. */
      readonly dueAt?: number;
    }
  /** The rest of the readers of a round. */
  | ({ readonly type: 'goOn' } & FanoutRest);

/** Asks for a round: sends the change of an object to its readers in one group. */
export interface FanoutRequest extends RequestHead {
  readonly cause: 'fanout';
  /** Whether a list found the change: then the events of its rounds use the `resync` lane. */
  readonly bulk?: boolean;
  readonly step: FanoutStep;
}

/**
 * A message on the queues of a controller group: a request for a pass of a target, or a step for an object that passes
 * read.
 */
export type QueueMessage = SkinnyEvent | PollRequest | FanoutRequest;

export function isRequest(message: QueueMessage): message is PollRequest | FanoutRequest {
  return message.cause === 'poll' || message.cause === 'fanout';
}

/** The changed object of an event, if that is not the target. */
export function changedObjectOf(event: SkinnyEvent): ChangedObject | undefined {
  return event.cause === 'dependency' || event.cause === 'resync' ? event.changed : undefined;
}

/**
 * Whether the API server named the target's namespace and name in this event, because a watch or a list showed the
 * target itself. Any other event repeats a name from an owner reference, an edge, the target's item or a
 * person.
 */
export function isOwnEvent(event: SkinnyEvent): boolean {
  switch (event.cause) {
    case 'created':
    case 'updated':
      return true;
    case 'deleted':
      // A list that does not have the target names nothing: resync repeats the name from the item.
      return event.tick === undefined;
    case 'resync':
      return event.changed === undefined;
    case 'dependency':
    case 'due':
    case 'requested':
      return false;
  }
}

/**
 * Each target, and each object that passes read, is one message group: its messages are handled one after the other
 * (R-5.2).
 */
export function messageGroupOf(message: QueueMessage): string {
  return messageGroupId(
    isRequest(message) ? { ...message, uid: `${message.cause}:${message.namespace}/${message.name}` } : message,
  );
}

/**
 * SQS remembers a deduplication id for five minutes, even after the message was deleted. So an id identifies one
 * observation and never the object.
 * @param random used when each message is its own observation.
 */
export function deduplicationId(message: QueueMessage, random: () => string): string {
  const prefix = `${targetId(isRequest(message) ? { ...message, uid: '' } : message)}/${incarnationOf(message)}/`;
  return queueId(prefix + observationId(message, random));
}

/** A poll, and a repeated round, belong to no incarnation: their ids and their wire form have 0 there. */
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
      // A deletion that a complete list shows has no version of its own, so the version of the list identifies the
      // observation.
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
  // Nothing identifies the observation, so each one has its own id.
  if (changed.resourceVersion === undefined) return `dep:${name}:${random()}`;
  return `dep:${changed.uid ?? name}:${changed.deleted === true ? 'deleted:' : ''}${changed.resourceVersion}`;
}
