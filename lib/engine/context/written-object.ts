import { jsonEqual } from '../../core/json-merge.ts';
import type { JsonObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import { objectKey } from '../../core/observation.ts';
import type { Propagation } from '../../core/reconcile-context.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
import { ownedState } from './owned-state.ts';
import type { Written } from './write-memory.ts';

export function nameOf(object: KubeObject): ObjectName {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

/** Identifies the object of a write in the memory of writes. */
export function identityOf(type: ResourceType, object: KubeObject): Pick<Written, 'object' | 'uid'> {
  return { object: objectKey(kindId(type), nameOf(object)), uid: object.metadata.uid };
}

/** A merge patch in the form in which the memory of writes keeps it. */
export function patchedAs(type: ResourceType, object: KubeObject, patch: JsonObject): Written {
  return { verb: 'patch', ...identityOf(type, object), content: patch, state: ownedState(object, patch, []) };
}

/** Whether the object waits for its finalizers: another deletion would change nothing. */
export function isBeingDeleted({ metadata }: KubeObject, propagation: Propagation | undefined): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  const has = (finalizer: string) => metadata.finalizers?.includes(finalizer) ?? false;
  switch (propagation) {
    case undefined:
      return true;
    case 'Background':
      return !has('foregroundDeletion') && !has('orphan');
    case 'Foreground':
      return has('foregroundDeletion');
    case 'Orphan':
      return has('orphan');
  }
}

/**
 * For most kinds the API server counts changes of the spec. For the others, everything except metadata and status is
 * compared.
 */
export function isSameSpec(before: KubeObject, after: KubeObject): boolean {
  if (before.metadata.generation !== undefined) return before.metadata.generation === after.metadata.generation;
  const { metadata: _before, status: _statusBefore, ...specBefore } = before;
  const { metadata: _after, status: _statusAfter, ...specAfter } = after;
  return jsonEqual(specBefore, specAfter);
}
