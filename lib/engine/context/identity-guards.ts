import type { JsonValue, ObjectMeta } from '../../core/kube-object.ts';

/** Holds a JSON patch to exactly the object that was read. */
export function identityGuards({ uid, resourceVersion }: ObjectMeta): JsonValue[] {
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    // Not a test: a version that is set and differs is answered with Conflict, a failed test with Invalid.
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
  ];
}
