import type { KubeObject, OwnerReference } from '../core/kube-object.ts';
import { apiVersion, type ResourceType } from '../core/resource-type.ts';

/**
 * The owner reference that makes an object a child of `owner`, in the same namespace. The API server deletes the child
 * with its owner, and a change of the child starts a pass of the owner.
 * @param type the owner's kind.
 */
export function ownerReference(type: ResourceType, { metadata }: Pick<KubeObject, 'metadata'>): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion: apiVersion(type), kind: type.kind, name, uid, controller: true };
}

/**
 * Whether the owner is the only owner in the object's owner references, and its controller. With a second owner, a
 * second controller, or another UID under the same name, the object also belongs to somebody else, so we must not
 * change or delete it.
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
