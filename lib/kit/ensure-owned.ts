import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../core/installation.ts';
import type { DesiredObject, JsonObject, KubeObject, ObjectName, OwnerReference } from '../core/kube-object.ts';
import { OWNER_UID_ANNOTATION } from '../core/ownership.ts';
import type { Propagation, ReconcileContext } from '../core/reconcile-context.ts';
import type { ResourceType } from '../core/resource-type.ts';
import { isApiError } from '../ports/cluster-api.ts';
import { clearLists } from './clear-lists.ts';
import { type Observation, observeAgain } from './observation.ts';
import { isExclusivelyOwned, ownerReference } from './owner-references.ts';

/** Whose an object is that has the name of one of ours. */
export type Standing =
  /** It carries every mark of ours, and nobody else's. */
  | 'ours'
  /** It names us as owner and nobody else does, but lost a mark: mended, and never deleted before. */
  | 'unmarked'
  /** Nobody's: taken over where adoption is allowed. */
  | 'unowned'
  | 'foreign';

/** What an object carries that belongs to an owner. */
export interface Marks {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** How the objects of one owner are marked, and told from those of others. */
export interface Ownership {
  standingOf(object: KubeObject): Standing;
  marksFor(object: DesiredObject | KubeObject): Marks;
}

/**
 * Ownership by the one owner reference, for children in their owner's namespace. An object with no owner reference at all is
 * unowned, and one with any other is foreign.
 * @param type the owner's kind.
 */
export function ownedByReference(type: ResourceType, owner: Pick<KubeObject, 'metadata'>): Ownership {
  return {
    standingOf: (object) => {
      if (isExclusivelyOwned(object, type, owner)) return 'ours';
      return (object.metadata.ownerReferences ?? []).length === 0 ? 'unowned' : 'foreign';
    },
    marksFor: () => ({ ownerReferences: [ownerReference(type, owner)] }),
  };
}

/**
 * Ownership by annotation, for objects in another namespace than their owner: the API server deletes an object there whose owner
 * reference names an owner of this namespace. An object with any owner reference is foreign.
 */
export function ownedByAnnotation({ metadata: { uid } }: Pick<KubeObject, 'metadata'>): Ownership {
  return {
    standingOf: ({ metadata: { ownerReferences = [], annotations, labels } }) => {
      const claimedBy = annotations?.[OWNER_UID_ANNOTATION];
      if (ownerReferences.length === 0 && claimedBy === undefined) return 'unowned';
      if (ownerReferences.length > 0 || claimedBy !== uid) return 'foreign';
      return labels?.[MANAGED_BY_LABEL] === MANAGED_BY_VALUE ? 'ours' : 'unmarked';
    },
    marksFor: () => ({
      labels: { [MANAGED_BY_LABEL]: MANAGED_BY_VALUE },
      annotations: { [OWNER_UID_ANNOTATION]: uid },
    }),
  };
}

/** An object that is to exist. */
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

export interface EnsureRules {
  readonly ownership: Ownership;
  /** Whether one that is missing may be created now. */
  readonly mayCreate: boolean;
  /** Whether one that is nobody's is taken over. */
  readonly adopt: boolean;
}

/** What is to be done with one wanted object, from what was observed of it. */
export type EnsureAction = 'create' | 'withhold' | 'apply' | 'refuse' | 'await-deletion';

export type Ensured =
  | { readonly type: 'present'; readonly object: KubeObject }
  /** It is missing and may not be created yet. */
  | { readonly type: 'withheld' }
  /** Somebody else's object has its name: it is left as it is. */
  | { readonly type: 'conflict' }
  /** It is ours and being deleted; it can be made again when it is gone. */
  | { readonly type: 'terminating'; readonly object: KubeObject };

/** Pure: what follows from what is there. */
export function actionFor(observed: KubeObject | undefined, rules: EnsureRules): EnsureAction {
  if (observed === undefined) return rules.mayCreate ? 'create' : 'withhold';
  const standing = rules.ownership.standingOf(observed);
  if (standing === 'foreign' || (standing === 'unowned' && !rules.adopt)) return 'refuse';
  return observed.metadata.deletionTimestamp === undefined ? 'apply' : 'await-deletion';
}

/** Whether an object is ours once it was made sure of, so that what locates it is to be recorded before. */
export function willBeOurs(observed: KubeObject | undefined, rules: EnsureRules): boolean {
  return ['create', 'apply', 'await-deletion'].includes(actionFor(observed, rules));
}

/**
 * Creates a wanted object or makes it what it is to be, unless it is somebody else's. Writes carry the UID and version that were
 * read, and nothing is sent when nothing would change.
 * @throws ApiError for a read or write that failed, AlreadyExists where another created the name in between included.
 */
export async function ensureOwned(context: ReconcileContext, wanted: Wanted, rules: EnsureRules): Promise<Ensured> {
  const { type, object, createOnly = false } = wanted;
  const { ownership } = rules;
  const observed = await context.get(type, nameOf(object));
  const marked = withMarks(object, ownership.marksFor(object));
  const action = actionFor(observed, rules);
  if (action === 'withhold') return { type: 'withheld' };
  if (action === 'create') return { type: 'present', object: await createObject(context, wanted, marked) };
  if (action === 'refuse' || observed === undefined) return { type: 'conflict' };
  if (action === 'await-deletion') return { type: 'terminating', object: observed };
  if (createOnly) {
    const patch = { metadata: ownership.marksFor(object) } as unknown as JsonObject;
    return { type: 'present', object: await context.mergePatch(type, observed, patch) };
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

export type Removed =
  | { readonly type: 'absent' }
  /** It is being deleted and still there. */
  | { readonly type: 'pending'; readonly object: KubeObject }
  /** The object under the name is not ours: it is left as it is. */
  | { readonly type: 'foreign'; readonly uid: string };

/**
 * Deletes an object of ours, and confirms by a fresh read that it is gone.
 * @throws ApiError for a read or write that failed: nothing is known then.
 */
export async function removeOwned(
  context: ReconcileContext,
  type: ResourceType,
  name: ObjectName,
  { ownership, propagation }: { readonly ownership: Ownership; readonly propagation?: Propagation },
): Promise<Removed> {
  const observed = await context.get(type, name);
  if (observed === undefined) return { type: 'absent' };
  const standing = ownership.standingOf(observed);
  if (standing === 'foreign' || standing === 'unowned') return { type: 'foreign', uid: observed.metadata.uid };
  if (observed.metadata.deletionTimestamp !== undefined) return { type: 'pending', object: observed };
  const marks = { metadata: ownership.marksFor(observed) } as unknown as JsonObject;
  const ours = standing === 'ours' ? observed : await context.mergePatch(type, observed, marks);
  await context.delete(type, ours, propagation === undefined ? {} : { propagation });
  const left = await context.getAgain(type, name);
  return left === undefined ? { type: 'absent' } : { type: 'pending', object: left };
}

/**
 * Deletes exactly the object that was read, and observes what is there after it: the API server's answer to a deletion does not
 * say whether finalizers hold the object.
 * @throws ApiError when the deletion failed; a read that failed is in what is returned.
 */
export async function deleteAndObserve(
  context: ReconcileContext,
  type: ResourceType,
  observed: KubeObject,
): Promise<Observation<KubeObject>> {
  await context.delete(type, observed);
  return await observeAgain(context, type, nameOf(observed));
}

/**
 * Creates an object that was read as absent, and observes what another created in between.
 * @param create sends the creation.
 * @param name where the other one is looked for.
 * @returns `made` tells whose it is.
 * @throws ApiError for every other refusal or failure of the creation.
 */
export async function createOrObserve(
  context: ReconcileContext,
  type: ResourceType,
  name: ObjectName,
  create: () => Promise<KubeObject>,
): Promise<{ readonly made: boolean; readonly observation: Observation<KubeObject> }> {
  try {
    return { made: true, observation: { type: 'found', value: await create() } };
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    return { made: false, observation: await observeAgain(context, type, name) };
  }
}

function nameOf({ metadata }: DesiredObject | KubeObject): ObjectName {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}

function withMarks(object: DesiredObject, { labels, annotations, ownerReferences }: Marks): DesiredObject {
  const { metadata } = object;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(labels !== undefined && { labels: { ...metadata.labels, ...labels } }),
      ...(annotations !== undefined && { annotations: { ...metadata.annotations, ...annotations } }),
      ...(ownerReferences !== undefined && { ownerReferences: [...ownerReferences] }),
    },
  };
}
