import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../core/installation.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { OWNER_UID_ANNOTATION } from '../../core/ownership.ts';
import type { Standing } from '../../kit/ensure-owned.ts';
import { type OwnerProof, PROOF_ANNOTATION, proofOf } from './owner-proof.ts';

export const OWNER_KIND_ANNOTATION = 'evenkeel.dev/owner-kind';
export const OWNER_NAMESPACE_ANNOTATION = 'evenkeel.dev/owner-namespace';
export const OWNER_NAME_ANNOTATION = 'evenkeel.dev/owner-name';

/** On the namespace of a ManagedDatabase that must outlive it: garbage collection never deletes it. */
export const RETAIN_ANNOTATION = 'evenkeel.dev/retain';

/** An owner in another namespace, which an owner reference cannot name. */
export interface Owner {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export function ownerOf({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): Owner {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid };
}

/**
 * The label and annotations that name the owner of an object. Anybody can copy them, so only `proofOf` proves
 * ownership.
 */
export function ownershipMarks(owner: Owner): {
  labels: Record<string, string>;
  annotations: Record<string, string>;
} {
  return {
    labels: { [MANAGED_BY_LABEL]: MANAGED_BY_VALUE },
    annotations: {
      [OWNER_UID_ANNOTATION]: owner.uid,
      [OWNER_KIND_ANNOTATION]: owner.kind,
      [OWNER_NAMESPACE_ANNOTATION]: owner.namespace,
      [OWNER_NAME_ANNOTATION]: owner.name,
    },
  };
}

/**
 * Who owns an object that has the name of one of ours.
 * @param recordedUid the UID of this object in the owner's record; undefined when it is not recorded.
 * @param proof used when no UID is recorded: without the owner's proof the object is foreign, whatever marks it has.
 * Absent for an object of another owner, whose record is not known here.
 */
export function standingOf(
  object: Pick<KubeObject, 'kind' | 'metadata'>,
  ownerUid: string,
  recordedUid?: string,
  proof?: OwnerProof,
): Standing {
  const { metadata } = object;
  const claimedBy = metadata.annotations?.[OWNER_UID_ANNOTATION];
  const isReferenced = (metadata.ownerReferences ?? []).length > 0;
  const isLabelled = metadata.labels?.[MANAGED_BY_LABEL] === MANAGED_BY_VALUE;
  if (isReferenced) return 'foreign';
  if (claimedBy === ownerUid) {
    if (recordedUid !== undefined && recordedUid !== metadata.uid) return 'foreign';
    const isProven = recordedUid !== undefined || proof === undefined || isProvenBy(proof, object);
    if (!isProven) return 'foreign';
    return isLabelled ? 'ours' : 'unmarked';
  }
  return claimedBy === undefined ? 'unowned' : 'foreign';
}

function isProvenBy(proof: OwnerProof, object: Pick<KubeObject, 'kind' | 'metadata'>): boolean {
  return proof.marksSuffice || object.metadata.annotations?.[PROOF_ANNOTATION] === proofOf(proof.seed, object);
}

/** The merge patch of an object's metadata that removes every mark of ownership. */
export function withoutMarks(): { metadata: { labels: Record<string, null>; annotations: Record<string, null> } } {
  const marks = ownershipMarks({ kind: '', namespace: '', name: '', uid: '' });
  const nulls = (values: Record<string, string>) => Object.fromEntries(Object.keys(values).map((key) => [key, null]));
  return {
    metadata: {
      labels: nulls(marks.labels),
      annotations: { ...nulls(marks.annotations), [RETAIN_ANNOTATION]: null, [PROOF_ANNOTATION]: null },
    },
  };
}
