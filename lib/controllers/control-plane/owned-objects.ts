import type { DesiredObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import type { Propagation, ReconcileContext } from '../../core/reconcile-context.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import * as kit from '../../kit/ensure-owned.ts';
import { type OwnerProof, PROOF_ANNOTATION, proofOf } from './owner-proof.ts';
import { type Owner, ownershipMarks, standingOf } from './ownership.ts';

export interface OwnRules {
  readonly owner: Owner;
  /** Whether a missing object may be created now. */
  readonly mayCreate: boolean;
  /** Whether an object without an owner is taken over. */
  readonly adopt: boolean;
  /** The UID of the object in the owner's record. */
  readonly recordedUid?: string | undefined;
  /** The proof for an object whose UID is not recorded. */
  readonly proof: OwnerProof;
}

export type RemovalRules = Pick<OwnRules, 'owner' | 'recordedUid' | 'proof'>;

/** The objects of an owner in other namespaces. Its marks identify them, together with the recorded UID or the proof. */
function ownershipBy({ owner, recordedUid, proof }: RemovalRules): kit.Ownership {
  return {
    standingOf: (object) => standingOf(object, owner.uid, recordedUid, proof),
    marksFor: (object) => marksFor(object, owner, proof),
  };
}

/** The marks of the owner, and its proof for this object. */
function marksFor(object: DesiredObject | KubeObject, owner: Owner, { seed }: OwnerProof): kit.Marks {
  const { labels, annotations } = ownershipMarks(owner);
  return { labels, annotations: { ...annotations, [PROOF_ANNOTATION]: proofOf(seed, object) } };
}

function rulesOf(rules: OwnRules): kit.EnsureRules {
  return { ownership: ownershipBy(rules), mayCreate: rules.mayCreate, adopt: rules.adopt };
}

/** Whether an object will be ours after `ensureObject`, so that its location must be recorded before. */
export function willBeOurs(observed: KubeObject | undefined, rules: OwnRules): boolean {
  return kit.willBeOurs(observed, rulesOf(rules));
}

/** Creates a wanted object or brings it to its desired state, unless it belongs to somebody else. */
export function ensureObject(context: ReconcileContext, wanted: kit.Wanted, rules: OwnRules): Promise<kit.Ensured> {
  return kit.ensureOwned(context, wanted, rulesOf(rules));
}

/** Deletes our object, and confirms by a fresh read that it is gone. */
export function removeObject(
  context: ReconcileContext,
  type: ResourceType,
  name: ObjectName,
  rules: RemovalRules & { readonly propagation?: Propagation },
): Promise<kit.Removed> {
  const { propagation } = rules;
  return kit.removeOwned(context, type, name, {
    ownership: ownershipBy(rules),
    ...(propagation !== undefined && { propagation }),
  });
}

/**
 * The known UID of an object: the recorded one, or the one in the status if the existing object has it. The two differ after
 * the cluster was restored from a backup, which brings back an earlier object and the status of that time.
 */
export function knownUid(
  recorded: string | undefined,
  shown: string | undefined,
  present: KubeObject | undefined,
): string | undefined {
  const uid = present?.metadata.uid;
  return uid !== undefined && uid === shown ? uid : recorded;
}

/** No object has this UID. So an object that was never begun cannot be ours, whatever marks it has. */
const NEVER_MADE = 'never made';

/**
 * The recorded UID in the form that a proof of ownership uses.
 * @param recordedUid absent: never begun; empty: begun, and not known to exist, so the proof of the owner counts.
 */
export function provingUid(recordedUid: string | undefined): string | undefined {
  return recordedUid === undefined ? NEVER_MADE : recordedUid || undefined;
}

/**
 * When somebody else's namespace has the name of ours, and the record says that ours was never created or had another
 * UID, ours counts as absent. A namespace of ours that only lost its marks stays a conflict.
 * @param recordedUid absent: never begun; empty: begun, and not known to exist.
 */
export function strangersNamespace(removed: kit.Removed, recordedUid: string | undefined): kit.Removed {
  if (removed.type !== 'foreign' || recordedUid === '' || recordedUid === removed.uid) return removed;
  return { type: 'absent' };
}
