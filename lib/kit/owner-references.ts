import type { KubeObject, OwnerReference } from '../core/kube-object.ts';
import { apiVersion, type ResourceType } from '../core/resource-type.ts';

/**
 * The owner reference that makes an object the child of `owner`, in the same namespace: the API server deletes the child with
 * its owner, and the relay wakes the owner when the child changes.
 * @param type the owner's kind.
 */
export function ownerReference(type: ResourceType, { metadata }: Pick<KubeObject, 'metadata'>): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion: apiVersion(type), kind: type.kind, name, uid, controller: true };
}

/**
 * Whether the owner is the one owner that the object names, and its controller. A second owner, a second controller, or
 * another UID under the same name makes it somebody else's too, and so not ours to change or delete.
 * @param type the owner's kind; another version of the same group counts as the same kind.
 */
export function isExclusivelyOwned(
  object: Pick<KubeObject, 'metadata'>,
  type: ResourceType,
  owner: Pick<KubeObject, 'metadata'>,
): boolean {
  const references = object.metadata.ownerReferences ?? [];
  const [only] = references;
  return (
    references.length === 1 &&
    only?.controller === true &&
    only.uid === owner.metadata.uid &&
    only.kind === type.kind &&
    only.apiVersion.split('/')[0] === type.group
  );
}
