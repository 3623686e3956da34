import type { SkinnyEvent } from './event.ts';
import {
  ANY_MARK,
  type DirtyMark,
  dirtyMark,
  findKey,
  type ObjectKey,
  objectKey,
  recordedVersion,
  versionNumber,
} from './observation.ts';
import type { Target } from './target.ts';

/** When an event is already observed. The refused acquire then costs one failed write and nothing else. */
export type Cover =
  /** A watch event of the target itself. */
  | { readonly type: 'self'; readonly incarnation: number; readonly version: number }
  /** An event of an object that the target owns or read. */
  | { readonly type: 'object'; readonly incarnation: number; readonly object: ObjectKey; readonly version: number }
  /**
   * A timer; the epoch of the target was `epoch` when its event was sent. Observed when a later pass committed, or
   * forgot the target.
   */
  | { readonly type: 'due'; readonly epoch: number };

/** What the last committed pass of a target recorded. */
export interface Recorded {
  /** With its recorded address. */
  readonly target: Pick<Target, 'kind' | 'namespace' | 'name'>;
  readonly incarnation?: number;
  readonly observedVersion?: number;
  readonly versions: Readonly<Record<ObjectKey, number>>;
  readonly committedEpoch: number;
}

/**
 * The rule: a pass of an incarnation that saw a version of an object has seen all versions of that incarnation up to
 * it. A version that was not recorded covers nothing.
 */
function hasSeen(
  recorded: { readonly incarnation: number | undefined; readonly version: number | undefined },
  told: { readonly incarnation: number; readonly version: number },
): boolean {
  if (recorded.incarnation !== told.incarnation || recorded.version === undefined) return false;
  return recorded.version >= told.version;
}

/** Whether an item covers an event. A table on a server checks the same in the condition of `acquire`. */
export function isCovered(cover: Cover | undefined, state: Recorded): boolean {
  const { incarnation } = state;
  switch (cover?.type) {
    case undefined:
      return false;
    case 'self':
      return hasSeen({ incarnation, version: state.observedVersion }, cover);
    case 'object':
      if (hasSeen({ incarnation, version: recordedVersion(state.versions, cover.object) }, cover)) return true;
      // The target may be in a list that it reads. A pass that did not read that list has still seen the target itself.
      return isTarget(cover.object, state.target) && isCovered({ ...cover, type: 'self' }, state);
    case 'due':
      return state.committedEpoch > cover.epoch;
  }
}

/** Whether an object, which may be named by the hash of its key, is the target itself. */
export function isTarget(object: ObjectKey, target: Recorded['target']): boolean {
  return findKey([objectKey(target.kind, target)], object) !== undefined;
}

/**
 * Whether a pass of `incarnation` that recorded `versions` has seen everything that the marks report. Only then may it
 * commit over them.
 */
export function marksAreCovered(
  marks: readonly DirtyMark[],
  incarnation: number,
  versions: Readonly<Record<ObjectKey, number>>,
): boolean {
  return marks.every((mark) => {
    const match = /^(\d+)\/(.*)@(\d+)$/.exec(mark);
    if (match === null) return false;
    const [, markIncarnation, object = '', version] = match;
    const told = { incarnation: Number(markIncarnation), version: Number(version) };
    return hasSeen({ incarnation, version: recordedVersion(versions, object) }, told);
  });
}

/**
 * When an event is covered: a committed pass of the same incarnation has seen that version, or a later one. Deletions,
 * differences that resync found, requests, and events without a comparable version are never covered.
 */
export function coverOf(event: SkinnyEvent): Cover | undefined {
  const { incarnation } = event;
  switch (event.cause) {
    case 'created':
    case 'updated': {
      const version = versionNumber(event.resourceVersion);
      return version === undefined ? undefined : { type: 'self', incarnation, version };
    }
    case 'dependency': {
      const { changed } = event;
      const version = changed.deleted === true ? undefined : versionNumber(changed.resourceVersion);
      if (version === undefined) return undefined;
      return { type: 'object', incarnation, object: objectKey(changed.kind, changed), version };
    }
    case 'due':
      return { type: 'due', epoch: event.epoch };
    case 'deleted':
    case 'resync':
    case 'requested':
      return undefined;
  }
}

/** The mark that the event leaves in the item of a target whose pass is running. */
export function markOf(event: SkinnyEvent): DirtyMark {
  const cover = coverOf(event);
  if (cover?.type === 'self') return dirtyMark(cover.incarnation, objectKey(event.kind, event), cover.version);
  if (cover?.type === 'object') return dirtyMark(cover.incarnation, cover.object, cover.version);
  return ANY_MARK;
}
