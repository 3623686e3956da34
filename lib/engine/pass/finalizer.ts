import type { JsonValue, KubeObject } from '../../core/kube-object.ts';
import { identityGuards } from '../context/identity-guards.ts';

/**
 * Adds one finalizer, if the object is still exactly the one that was read. Finalizers of others are not changed
 * (R-1.19).
 */
export function addFinalizerPatch(object: KubeObject, finalizer: string): JsonValue[] {
  const add: JsonValue =
    object.metadata.finalizers === undefined
      ? { op: 'add', path: '/metadata/finalizers', value: [finalizer] }
      : { op: 'add', path: '/metadata/finalizers/-', value: finalizer };
  return [...identityGuards(object.metadata), add];
}

/** Removes one finalizer, after a test that it is at the position where it was read. */
export function removeFinalizerPatch(object: KubeObject, finalizer: string): JsonValue[] {
  const path = `/metadata/finalizers/${(object.metadata.finalizers ?? []).indexOf(finalizer)}`;
  return [...identityGuards(object.metadata), { op: 'test', path, value: finalizer }, { op: 'remove', path }];
}
