import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../core/installation.ts';
import type { DesiredObject, JsonObject, KubeObject, ObjectName, OwnerReference } from '../core/kube-object.ts';
import { OWNER_UID_ANNOTATION } from '../core/ownership.ts';
import type { Propagation, ReconcileContext } from '../core/reconcile-context.ts';
import type { ResourceType } from '../core/resource-type.ts';
import { isApiError } from '../ports/cluster-api.ts';
import { clearLists } from './clear-lists.ts';
import { type Observation, observeAgain } from './observation.ts';
import { isExclusivelyOwned, ownerReference } from './owner-references.ts';

/** Who owns an object that has the name of one of ours. */
export type Standing =
  /** It has every mark of ours, and no mark of another owner. */
  | 'ours'
  /**
   * It names us as its only owner, but lost a mark: the mark is repaired, and the object is not deleted before that.
   */
  | 'unmarked'
  /** It has no owner: it is taken over if adoption is allowed. */
  | 'unowned'
  | 'foreign';

/** The labels, annotations and owner references that name an owner. */
export interface Marks {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** How the objects of one owner are marked, and how they are distinguished from those of others. */
export interface Ownership {
  standingOf(object: KubeObject): Standing;
  marksFor(object: DesiredObject | KubeObject): Marks;
}

/**
 * Ownership by one owner reference, for children in their owner's namespace. An object without owner references is
 * unowned; an object with another owner reference is foreign.
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
 * Ownership by annotation, for objects in another namespace than their owner. An owner reference is impossible there:
 * the API server would look for the owner in the object's namespace, and delete the object. An object with any owner
 * reference is foreign.
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

/** An object that must exist. */
export interface Wanted {
  readonly type: ResourceType;
  /** Without marks of ownership; these are added. */
  readonly object: DesiredObject;
  /**
   * Whether the content is only set when the object is created, and never changed again. Its marks are still repaired.
   */
  readonly createOnly?: boolean;
  /**
   * Fields of `spec` that are lists which must contain only our elements. Elements of others are removed first, because
   * they can make our elements invalid.
   */
  readonly wholeLists?: readonly string[];
}

export interface EnsureRules {
  readonly ownership: Ownership;
  /** Whether a missing object may be created now. */
  readonly mayCreate: boolean;
  /** Whether an object without an owner is taken over. */
  readonly adopt: boolean;
}

/** The next action for a wanted object, decided from its observed state. */
export type EnsureAction = 'create' | 'withhold' | 'apply' | 'refuse' | 'await-deletion';

export type Ensured =
  | { readonly type: 'present'; readonly object: KubeObject }
  /** The object is missing and must not be created yet. */
  | { readonly type: 'withheld' }
  /** An object of somebody else has the name; it is not changed. */
  | { readonly type: 'conflict' }
  /** The object is ours and being deleted. It can be created again when it is gone. */
  | { readonly type: 'terminating'; readonly object: KubeObject };

/** Decides the action from the observed object. Pure. */
export function actionFor(observed: KubeObject | undefined, rules: EnsureRules): EnsureAction {
  if (observed === undefined) return rules.mayCreate ? 'create' : 'withhold';
  const standing = rules.ownership.standingOf(observed);
  if (standing === 'foreign' || (standing === 'unowned' && !rules.adopt)) return 'refuse';
  return observed.metadata.deletionTimestamp === undefined ? 'apply' : 'await-deletion';
}

/** Whether the object will be ours after `ensureOwned`. If so, its address must be stored before the write. */
export function willBeOurs(observed: KubeObject | undefined, rules: EnsureRules): boolean {
  return ['create', 'apply', 'await-deletion'].includes(actionFor(observed, rules));
}

/**
 * Creates a wanted object or makes it match, unless somebody else owns it. Writes have the UID and version that were
 * read as preconditions. Nothing is sent when nothing would change.
 * @throws ApiError for a read or write that failed; this includes AlreadyExists when another client created the name in
 * between.
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

/**
 * The server's defaults at first count as our fields. We give these fields up at once, so that the next pass has
 * nothing to write.
 */
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
  /** The object is being deleted and still exists. */
  | { readonly type: 'pending'; readonly object: KubeObject }
  /** The object under the name is not ours; it is not changed. */
  | { readonly type: 'foreign'; readonly uid: string };

/**
 * Deletes an object of ours, and confirms by a new read that it is gone.
 * @throws ApiError for a read or write that failed. The state is then unknown.
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
 * Deletes exactly the object that was read, and then reads its name again: the API server's answer to a deletion does
 * not show whether finalizers delay it.
 * @throws ApiError when the deletion failed. A read that failed is in the result.
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
 * Creates an object that was read as absent. If another client created it in between, reads that object.
 * @param create sends the create.
 * @param name the name under which the other object is read.
 * @returns `made` is true when this call created the object.
 * @throws ApiError for every other refusal or failure of the create.
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
