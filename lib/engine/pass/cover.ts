import type { SkinnyEvent } from '../../core/event.ts';
import { ANY_MARK, type DirtyMark, dirtyMark, objectKey, versionNumber } from '../../core/observation.ts';
import type { Cover } from '../../ports/state-store.ts';

/**
 * When an event is covered: a committed pass of the same incarnation has seen that version, or a later one. Deletions,
 * resync findings, requests and whatever has no comparable version never are.
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
      const version = event.changed?.deleted === true ? undefined : versionNumber(event.changed?.resourceVersion);
      if (event.changed === undefined || version === undefined) return undefined;
      return { type: 'object', incarnation, object: objectKey(event.changed.kind, event.changed), version };
    }
    case 'due':
      return event.epoch === undefined ? undefined : { type: 'due', epoch: event.epoch };
    case 'deleted':
    case 'resync':
    case 'requested':
    case 'poll':
    case 'fanout':
      return undefined;
  }
}

/** What the event leaves in the dirty set of a target whose pass is running. */
export function markOf(event: SkinnyEvent): DirtyMark {
  const cover = coverOf(event);
  if (cover?.type === 'self') return dirtyMark(cover.incarnation, objectKey(event.kind, event), cover.version);
  if (cover?.type === 'object') return dirtyMark(cover.incarnation, cover.object, cover.version);
  return ANY_MARK;
}
