import type { DesiredObject, JsonObject, KubeObject, ManagedFieldsEntry } from '../../core/kube-object.ts';
import { ownField } from '../../core/own-field.ts';
import { descend, isTree } from './field-steps.ts';
import { saysNothing } from './owned-state.ts';

/**
 * Whether a server-side apply of `desired` by `manager` would change nothing: every desired field exists, and the
 * manager owns no field that is not desired any more (the apply would prune it).
 */
export function applyWouldChangeNothing(observed: KubeObject, desired: DesiredObject, manager: string): boolean {
  const owned = ownEntries(observed, manager);
  if (owned.length === 0) return false;
  return hasAllDesired(observed, desired, owned) && owned.every(({ fieldsV1 = {} }) => ownsOnly(fieldsV1, desired));
}

/**
 * Whether the object is as the manager's create left it, with every desired field. An apply would then only give up
 * fields that count as the manager's, such as defaults of the server.
 */
export function isAsCreated(observed: KubeObject, desired: DesiredObject, manager: string): boolean {
  const owned = ownEntries(observed, manager);
  if (owned.length === 0 || owned.some(({ operation }) => operation !== 'Update')) return false;
  return hasAllDesired(observed, desired, owned);
}

function hasAllDesired(observed: KubeObject, desired: DesiredObject, owned: readonly ManagedFieldsEntry[]): boolean {
  return contains(
    observed,
    wantedOf(desired),
    owned.map(({ fieldsV1 }) => fieldsV1 ?? {}),
  );
}

/** The part of an object that is compared: everything except metadata that the server sets or that names the object. */
export function wantedOf({ metadata, ...rest }: DesiredObject): Record<string, unknown> {
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  return { ...rest, metadata: { labels, annotations, ownerReferences, finalizers } };
}

/** The manager's entries for the main resource, with any operation. */
export function ownEntries(observed: KubeObject, manager: string): ManagedFieldsEntry[] {
  return (observed.metadata.managedFields ?? []).filter(
    (entry) => entry.manager === manager && (entry.subresource === undefined || entry.subresource === ''),
  );
}

/**
 * The manager's `fieldsV1` trees at a path; 'whole' below a path that is owned as one piece (an atomic list or struct),
 * because managedFields have no tree there.
 */
type Owned = readonly JsonObject[] | 'whole';

/**
 * Whether every part of `wanted` is in `actual`. In lists whose elements have their own owners (`k:` and `v:` in the
 * manager's fields), elements of others are ignored; any other list is compared as a whole. The API server leaves out
 * empty values, but not their owners: a value that is absent and still owned by the manager counts as wanted.
 */
function contains(actual: unknown, wanted: unknown, owned: Owned): boolean {
  if (wanted === undefined) return true;
  if (wanted === null) return actual === undefined || actual === null;
  if (typeof wanted !== 'object') return actual === wanted;
  if (Array.isArray(wanted)) return Array.isArray(actual) && containsElements(actual, wanted, owned);
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return false;
  return Object.entries(wanted).every(([key, value]) => {
    const part = ownField(actual, key);
    const below = ownedBelow(owned, `f:${key}`);
    if ((part ?? undefined) === undefined && below !== undefined && saysNothing(value)) return true;
    return contains(part, value, below ?? []);
  });
}

function containsElements(actual: readonly unknown[], wanted: readonly unknown[], owned: Owned): boolean {
  const steps = owned === 'whole' ? [] : [...new Set(owned.flatMap((tree) => Object.keys(tree)))].filter(isElement);
  if (steps.length === 0) {
    return actual.length === wanted.length && wanted.every((item, index) => contains(actual[index], item, 'whole'));
  }
  const places = new Map(steps.map((step) => [descend(wanted, step), step]));
  return wanted.every((item) => {
    const step = places.get(item);
    return step !== undefined && contains(descend(actual, step), item, ownedBelow(owned, step) ?? []);
  });
}

function isElement(step: string): boolean {
  return /^[kv]:/.test(step);
}

/** The fields that the manager owns below a step; undefined when it owns none. */
function ownedBelow(owned: Owned, step: string): Owned | undefined {
  if (owned === 'whole') return owned;
  const parts = owned.filter((tree) => step in tree).map((tree) => tree[step]);
  if (parts.length === 0) return undefined;
  const trees = parts.filter(isTree);
  return trees.length === 0 ? 'whole' : trees;
}

/** Whether every field of a `fieldsV1` tree is present in `desired`. */
function ownsOnly(fields: JsonObject, desired: unknown): boolean {
  return Object.entries(fields).every(([step, below]) => {
    if (step === '.') return true;
    const child = descend(desired, step);
    return child !== undefined && (isTree(below) ? ownsOnly(below, child) : true);
  });
}
