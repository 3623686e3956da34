import type { JsonValue, ObjectMeta } from '../../core/kube-object.ts';

/** Limits a JSON patch to exactly the object that was read. */
export function identityGuards({ uid, resourceVersion }: ObjectMeta): JsonValue[] {
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    // Not a `test`: the server answers Conflict when a version is set and differs, but Invalid when a `test` fails.
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
  ];
}
