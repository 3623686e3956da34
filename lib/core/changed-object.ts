import { hashedKey, objectKey, parseObjectKey, versionNumber } from './observation.ts';
import type { KindId } from './resource-type.ts';

/** What was observed of an object that changed: its version, its absence, or only that something changed. */
export type SeenVersion = SeenAt | SeenAbsent | SeenUnknown;

export interface SeenAt {
  readonly uid?: string;
  /** The version that was observed; of a deleted object the version of its deletion. */
  readonly resourceVersion: string;
  /** The object is gone. */
  readonly deleted?: boolean;
  readonly absentAt?: never;
}

/** The object was found missing: from a complete list, or by a poll. */
export interface SeenAbsent {
  /**
   * Names the observation: the version of the list, or the poll's `dueAt`. A round whose marker is in doubt has a text of its
   * own here, which no version equals.
   */
  readonly absentAt: string;
  readonly uid?: never;
  readonly resourceVersion?: never;
  readonly deleted?: never;
}

/** No version can be named: the object cannot be read, or there was no room. Such an event is never covered. */
export interface SeenUnknown {
  readonly uid?: never;
  readonly resourceVersion?: never;
  readonly deleted?: never;
  readonly absentAt?: never;
}

/**
 * What changed: an object that the target owns, has read, or has listed. Kind, namespace and name together are its key, or
 * the hash of it where there was no room (`hashedKey`).
 */
export type ChangedObject = SeenVersion & {
  readonly kind: KindId;
  readonly namespace: string;
  readonly name: string;
};

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
