import { controllerOwner, type KubeObject } from './kube-object.ts';

/** Where an owner reference cannot be, the owner's UID stands in this annotation, next to the managed-by label. */
export const OWNER_UID_ANNOTATION = 'evenkeel.dev/owner-uid';

/**
 * Whether `object` is owned by the object of this UID: its controller owner reference names it, or it has no owner
 * reference at all and carries the owner's UID as annotation. Controllers whose domain records more (a UID in
 * the owner's status) define a stricter rule.
 */
export function isOwnedBy(object: Pick<KubeObject, 'metadata'>, ownerUid: string): boolean {
  const controller = controllerOwner(object.metadata);
  if (controller !== undefined) return controller.uid === ownerUid;
  return (
    (object.metadata.ownerReferences ?? []).length === 0 &&
    object.metadata.annotations?.[OWNER_UID_ANNOTATION] === ownerUid
  );
}
