import type { DesiredObject, JsonObject, KubeObject } from '../../core/kube-object.ts';
import type { Propagation, ReconcileContext } from '../../core/reconcile-context.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import { type OwnerProof, PROOF_ANNOTATION, proofOf } from './owner-proof.ts';
import { type Owner, ownershipMarks, standingOf } from './ownership.ts';

export interface Wanted {
  readonly type: ResourceType;
  /** Without marks of ownership, which are added. */
  readonly object: DesiredObject;
  /** Its content is given when it is created, and never touched again; only its marks are kept. */
  readonly createOnly?: boolean;
  /**
   * Fields of `spec` that are lists of which every element is to be ours: what others add is taken out first, since it can
   * make ours invalid.
   */
  readonly wholeLists?: readonly string[];
}

export interface OwnRules {
  readonly owner: Owner;
  /** Whether one that is missing may be created now. */
  readonly mayCreate: boolean;
  /** Whether one that is nobody's is taken over. */
  readonly adopt: boolean;
  /** The UID that the owner's record has of the object. */
  readonly recordedUid?: string | undefined;
  /** What proves an object whose UID is not recorded. */
  readonly proof: OwnerProof;
}

/** What is to be done with one wanted object, from what was observed of it. */
export type Action = 'create' | 'withhold' | 'apply' | 'refuse' | 'await-deletion';

export type Ensured =
  | { readonly type: 'present'; readonly object: KubeObject }
  /** It is missing and may not be created yet. */
  | { readonly type: 'withheld' }
  /** Somebody else's object has its name. */
  | { readonly type: 'conflict' }
  /** It is ours and being deleted; it can be created again when it is gone. */
  | { readonly type: 'terminating'; readonly object: KubeObject };

/** Pure: what follows from what is there. */
export function actionFor(observed: KubeObject | undefined, rules: OwnRules): Action {
  if (observed === undefined) return rules.mayCreate ? 'create' : 'withhold';
  const standing = standingOf(observed, rules.owner.uid, rules.recordedUid, rules.proof);
  if (standing === 'foreign' || (standing === 'unowned' && !rules.adopt)) return 'refuse';
  return observed.metadata.deletionTimestamp === undefined ? 'apply' : 'await-deletion';
}

/** Whether an object is ours once it was made sure of, so that what locates it is to be recorded before. */
export function willBeOurs(observed: KubeObject | undefined, rules: OwnRules): boolean {
  return ['create', 'apply', 'await-deletion'].includes(actionFor(observed, rules));
}

/** Creates a wanted object or makes it what it is to be, unless it is somebody else's. */
export async function ensureObject(context: ReconcileContext, wanted: Wanted, rules: OwnRules): Promise<Ensured> {
  const { type, object } = wanted;
  const name = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
  const observed = await context.get(type, name);
  const marked = withMarks(object, rules);
  const action = actionFor(observed, rules);
  if (action === 'withhold') return { type: 'withheld' };
  if (action === 'create') return { type: 'present', object: await createObject(context, wanted, marked) };
  if (action === 'refuse' || observed === undefined) return { type: 'conflict' };
  if (action === 'await-deletion') return { type: 'terminating', object: observed };
  if (wanted.createOnly) {
    const marks = { metadata: marksFor(object, rules) } as unknown as JsonObject;
    return { type: 'present', object: await context.mergePatch(type, observed, marks) };
  }
  const cleared = await clearLists(context, wanted, observed);
  return { type: 'present', object: await context.apply(type, cleared, marked) };
}

/** What the server filled in counts as ours at first: it is let go of at once, so that the next pass has nothing to write. */
async function createObject(
  context: ReconcileContext,
  { type, createOnly = false }: Wanted,
  marked: DesiredObject,
): Promise<KubeObject> {
  const created = await context.create(type, marked);
  return createOnly ? created : await context.apply(type, created, marked);
}

async function clearLists(
  context: ReconcileContext,
  { type, object, wholeLists = [] }: Wanted,
  observed: KubeObject,
): Promise<KubeObject> {
  const [present, wished] = [observed.spec, object.spec] as (Record<string, unknown> | undefined)[];
  const lists = wholeLists.filter((field) => {
    const [is, ought] = [present?.[field], wished?.[field]];
    return (
      Array.isArray(is) && Array.isArray(ought) && is.some((element) => !ought.some((own) => includes(element, own)))
    );
  });
  if (lists.length === 0) return observed;
  const spec = Object.fromEntries(lists.map((field) => [field, wished?.[field]]));
  return await context.mergePatch(type, observed, { spec } as JsonObject);
}

function includes(element: unknown, own: unknown): boolean {
  if (typeof element !== 'object' || element === null || typeof own !== 'object' || own === null)
    return element === own;
  return Object.entries(own).every(([key, value]) => (element as Record<string, unknown>)[key] === value);
}

export type RemovalRules = Pick<OwnRules, 'owner' | 'recordedUid' | 'proof'>;

export type Removed =
  | { readonly type: 'absent' }
  /** It is being deleted and still there. */
  | { readonly type: 'pending'; readonly object: KubeObject }
  /** The object under the name is not ours. */
  | { readonly type: 'foreign'; readonly uid: string };

/** Deletes an object of ours, and confirms by a fresh read that it is gone. */
export async function removeObject(
  context: ReconcileContext,
  type: ResourceType,
  name: { namespace: string; name: string },
  rules: RemovalRules & { readonly propagation?: Propagation },
): Promise<Removed> {
  const { owner, recordedUid, proof, propagation } = rules;
  const observed = await context.get(type, name);
  if (observed === undefined) return { type: 'absent' };
  const standing = standingOf(observed, owner.uid, recordedUid, proof);
  if (standing === 'foreign' || standing === 'unowned') return { type: 'foreign', uid: observed.metadata.uid };
  if (observed.metadata.deletionTimestamp !== undefined) return { type: 'pending', object: observed };
  const ours =
    standing === 'ours'
      ? observed
      : await context.mergePatch(type, observed, { metadata: marksFor(observed, rules) } as unknown as JsonObject);
  await context.delete(type, ours, propagation === undefined ? {} : { propagation });
  const left = await context.getAgain(type, name);
  return left === undefined ? { type: 'absent' } : { type: 'pending', object: left };
}

/**
 * The UID by which an object is known: the recorded one, or the one that the status shows where that is what is there. The
 * two differ when the cluster was restored from a backup, which brings back an earlier object and the status of its time.
 */
export function knownUid(
  recorded: string | undefined,
  shown: string | undefined,
  present: KubeObject | undefined,
): string | undefined {
  const uid = present?.metadata.uid;
  return uid !== undefined && uid === shown ? uid : recorded;
}

/** No object has it: what was never begun cannot be ours, whatever marks somebody gave it. */
const NEVER_MADE = 'never made';

/**
 * The recorded UID as a proof of ownership takes it.
 * @param recordedUid absent: never begun; empty: begun, and not known to exist, so that the owner's proof counts.
 */
export function provingUid(recordedUid: string | undefined): string | undefined {
  return recordedUid === undefined ? NEVER_MADE : recordedUid || undefined;
}

/**
 * A namespace that is not ours, where the record says that ours was never made, or was another: ours is absent then. An
 * own one that merely lost its marks is not.
 * @param recordedUid absent: never begun; empty: begun, and not known to exist.
 */
export function strangersNamespace(removed: Removed, recordedUid: string | undefined): Removed {
  if (removed.type !== 'foreign' || recordedUid === '' || recordedUid === removed.uid) return removed;
  return { type: 'absent' };
}

function withMarks(object: DesiredObject, rules: OwnRules): DesiredObject {
  const { labels, annotations } = marksFor(object, rules);
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, ...labels },
      annotations: { ...object.metadata.annotations, ...annotations },
    },
  };
}

/** The marks of the owner, and its proof for this object. */
function marksFor(object: DesiredObject | KubeObject, { owner, proof }: RemovalRules) {
  const { labels, annotations } = ownershipMarks(owner);
  return { labels, annotations: { ...annotations, [PROOF_ANNOTATION]: proofOf(proof.seed, object) } };
}
