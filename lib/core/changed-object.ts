import { hashedKey, objectKey, parseObjectKey, versionNumber } from './observation.ts';
import type { KindId } from './resource-type.ts';

/** What was observed of an object that changed: its version, its absence, or only that something changed. */
export type SeenVersion = SeenAt | SeenAbsent | SeenUnknown;

export interface SeenAt {
  readonly uid?: string;
  /** The observed version; for a deleted object, the version of its deletion. */
  readonly resourceVersion: string;
  /** The object is gone. */
  readonly deleted?: boolean;
  readonly absentAt?: never;
}

/** The object was found missing: from a complete list, or by a poll. */
export interface SeenAbsent {
  /**
   * Identifies the observation: the version of the list, or the poll's `dueAt`. A round whose marker is in doubt has
   * its own text here, which is never equal to a version.
   */
  readonly absentAt: string;
  readonly uid?: never;
  readonly resourceVersion?: never;
  readonly deleted?: never;
}

/**
 * The version is unknown: the object cannot be read, or its version did not fit. Such an event never counts as already
 * observed.
 */
export interface SeenUnknown {
  readonly uid?: never;
  readonly resourceVersion?: never;
  readonly deleted?: never;
  readonly absentAt?: never;
}

/**
 * The changed object: one that the target owns, has read, or has listed. Kind, namespace and name together are its key,
 * or the hash of the key when the name did not fit (`hashedKey`).
 */
export type ChangedObject = SeenVersion & {
  readonly kind: KindId;
  readonly namespace: string;
  readonly name: string;
};

/**
 * The changed object, identified by the hash of its key, for an event in which its name does not fit. The version stays
 * only if the event can count as already observed: an object that is gone, or whose version is not a number, needs a
 * pass in any case.
 */
export function shortChanged(changed: ChangedObject): ChangedObject {
  const short = parseObjectKey(hashedKey(objectKey(changed.kind, changed)));
  const { resourceVersion } = changed;
  const isComparable = changed.deleted !== true && versionNumber(resourceVersion) !== undefined;
  return isComparable && resourceVersion !== undefined ? { ...short, resourceVersion } : short;
}
