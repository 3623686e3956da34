import { objectAt, objectsAt, stringAt } from '../json.ts';
import { objectKey, type StoredObject } from '../state/stored-object.ts';

/** The keys of the claims that a pod mounts. */
export function mountedClaims(pod: StoredObject): string[] {
  return objectsAt(objectAt(pod.object, 'spec'), 'volumes')
    .map((volume) => stringAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName'))
    .filter((name) => name !== '')
    .map((name) => objectKey(pod.namespace, name));
}
