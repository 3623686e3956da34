import { controllerOwner, type KubeObject } from './kube-object.ts';

/**
 * When an owner reference is impossible, this annotation has the owner's UID, next to the managed-by label.
 */
export const OWNER_UID_ANNOTATION = 'evenkeel.dev/owner-uid';

/**
 * Whether the object with this UID owns `object`: its controller owner reference names the UID, or it has no owner
 * references and an annotation with the owner's UID. Controllers that record more (a UID in the owner's
 * status) define a stricter rule.
 */
export function isOwnedBy(object: Pick<KubeObject, 'metadata'>, ownerUid: string): boolean {
  const controller = controllerOwner(object.metadata);
  if (controller !== undefined) return controller.uid === ownerUid;
  return (
    (object.metadata.ownerReferences ?? []).length === 0 &&
    object.metadata.annotations?.[OWNER_UID_ANNOTATION] === ownerUid
  );
}
