import type { ChangedObject } from '../../core/changed-object.ts';
import type { SkinnyEvent } from '../../core/event.ts';
import { findKey, hashInKey, objectKey, parseObjectKey } from '../../core/observation.ts';
import type { TargetState } from '../../ports/state-store.ts';

/**
 * The event with the full name of the changed object, if it names the object by a hash and the last pass read that
 * object.
 */
export function namedEvent(event: SkinnyEvent, { versions, edges }: TargetState): SkinnyEvent {
  if (event.cause !== 'dependency' && event.cause !== 'resync') return event;
  const { changed } = event;
  if (changed === undefined || !isHashed(changed)) return event;
  const key = findKey([...Object.keys(versions), ...edges], objectKey(changed.kind, changed));
  return key === undefined ? event : { ...event, changed: { ...changed, ...parseObjectKey(key) } };
}

/** The changed object for people: `kind namespace/name`, or a note that its name did not fit into the event. */
export function describeChanged(changed: ChangedObject): string {
  return isHashed(changed) ? 'an object with a long name' : `${changed.kind} ${changed.namespace}/${changed.name}`;
}

/** Whether only the hash of its key is known. */
export function isHashed(changed: ChangedObject): boolean {
  return hashInKey(objectKey(changed.kind, changed)) !== undefined;
}
