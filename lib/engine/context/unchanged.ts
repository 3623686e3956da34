import type { DesiredObject, JsonObject, KubeObject, ManagedFieldsEntry } from '../../core/kube-object.ts';

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
  const { metadata, ...rest } = desired;
  const wanted = {
    ...rest,
    metadata: {
      labels: metadata.labels,
      annotations: metadata.annotations,
      ownerReferences: metadata.ownerReferences,
      finalizers: metadata.finalizers,
    },
  };
  return contains(
    observed,
    wanted,
    owned.map(({ fieldsV1 }) => fieldsV1 ?? {}),
  );
}

/** The manager's entries for the main resource, whatever their operation. */
export function ownEntries(observed: KubeObject, manager: string): ManagedFieldsEntry[] {
  return (observed.metadata.managedFields ?? []).filter(
    (entry) => entry.manager === manager && (entry.subresource === undefined || entry.subresource === ''),
  );
}

/**
 * Whether every part of `wanted` is in `actual`. In lists whose elements have owners of their own (`k:` and `v:` in the
 * manager's fields) elements of others are left out of it; any other list counts as a whole.
 * @param fields the manager's `fieldsV1` trees at this place.
 */
function contains(actual: unknown, wanted: unknown, fields: readonly JsonObject[]): boolean {
  if (wanted === undefined) return true;
  if (wanted === null || typeof wanted !== 'object') return actual === wanted;
  if (Array.isArray(wanted)) return Array.isArray(actual) && containsElements(actual, wanted, fields);
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return false;
  return Object.entries(wanted).every(([key, value]) =>
    contains((actual as Record<string, unknown>)[key], value, below(fields, `f:${key}`)),
  );
}

function containsElements(
  actual: readonly unknown[],
  wanted: readonly unknown[],
  fields: readonly JsonObject[],
): boolean {
  const steps = [...new Set(fields.flatMap((tree) => Object.keys(tree)))].filter((step) => /^[kv]:/.test(step));
  if (steps.length === 0) {
    return (
      actual.length === wanted.length && wanted.every((item, index) => contains(actual[index], item, NOTHING_OWNED))
    );
  }
  const places = new Map(steps.map((step) => [descend(wanted, step), step]));
  return wanted.every((item) => {
    const step = places.get(item);
    return step !== undefined && contains(descend(actual, step), item, below(fields, step));
  });
}

const NOTHING_OWNED: readonly JsonObject[] = [];

function below(fields: readonly JsonObject[], step: string): JsonObject[] {
  return fields.map((tree) => tree[step]).filter(isTree);
}

/** Whether every field of a `fieldsV1` tree is present in `desired`. */
function ownsOnly(fields: JsonObject, desired: unknown): boolean {
  return Object.entries(fields).every(([step, below]) => {
    if (step === '.') return true;
    const child = descend(desired, step);
    return child !== undefined && (isTree(below) ? ownsOnly(below, child) : true);
  });
}

function descend(value: unknown, step: string): unknown {
  if (step.startsWith('f:')) {
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step.slice(2)] : undefined;
  }
  if (!Array.isArray(value)) return undefined;
  if (step.startsWith('k:')) {
    const keys = parseJson(step.slice(2));
    // Keys may hold values that the server defaulted (a port's protocol): a desired item that leaves them out matches.
    return value.find((item) =>
      Object.entries(keys).every(([key, wanted]) => item?.[key] === undefined || item[key] === wanted),
    );
  }
  if (step.startsWith('v:')) {
    const wanted = step.slice(2);
    return value.find((item) => JSON.stringify(item) === wanted);
  }
  return undefined;
}

function parseJson(text: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(text);
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
}

function isTree(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}
