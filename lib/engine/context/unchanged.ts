import type { DesiredObject, JsonObject, KubeObject, ManagedFieldsEntry } from '../../core/kube-object.ts';
import { ownField } from '../../core/own-field.ts';
import { descend, isTree } from './field-steps.ts';
import { saysNothing } from './owned-state.ts';

/**
 * Whether a server-side apply of `desired` by `manager` would change nothing: everything desired is there already, and
 * the manager owns no field that is no longer desired (which the apply would prune).
 */
export function applyWouldChangeNothing(observed: KubeObject, desired: DesiredObject, manager: string): boolean {
  const owned = ownEntries(observed, manager);
  if (owned.length === 0) return false;
  return hasAllDesired(observed, desired, owned) && owned.every(({ fieldsV1 = {} }) => ownsOnly(fieldsV1, desired));
}

/**
 * Whether the object is as the manager's create left it, with everything desired: an apply would only let go of what
 * counts as the manager's since then, such as what the server filled in.
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

/** What an object is compared by: all but the metadata that the server sets or that names the object. */
export function wantedOf({ metadata, ...rest }: DesiredObject): Record<string, unknown> {
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  return { ...rest, metadata: { labels, annotations, ownerReferences, finalizers } };
}

/** The manager's entries for the main resource, whatever their operation. */
export function ownEntries(observed: KubeObject, manager: string): ManagedFieldsEntry[] {
  return (observed.metadata.managedFields ?? []).filter(
    (entry) => entry.manager === manager && (entry.subresource === undefined || entry.subresource === ''),
  );
}

/**
 * The manager's `fieldsV1` trees at a place; 'whole' below a place that is owned as one piece (an atomic list or struct),
 * for which managedFields have no tree.
 */
type Owned = readonly JsonObject[] | 'whole';

/**
 * Whether every part of `wanted` is in `actual`. In lists whose elements have owners of their own (`k:` and `v:` in the
 * manager's fields) elements of others are left out of it; any other list counts as a whole. The API server leaves empty
 * values out, but not who owns them: one that is absent, and still the manager's, is as wanted.
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

/** What the manager owns of a part; undefined where it owns nothing of it. */
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
