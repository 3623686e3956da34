import { isObject, type JsonObject } from '../json.ts';

/** The fields of meta.k8s.io/v1 ObjectMeta. */
const known = new Set([
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
]);

/** Paths of the members of the metadata that are not fields of ObjectMeta. */
export function unknownMetadata(metadata: JsonObject): string[] {
  return Object.keys(metadata)
    .filter((field) => !known.has(field))
    .map((field) => `metadata.${field}`);
}

/**
 * Removes what the real server's ObjectMeta does not keep, in place: unknown fields, nulls, and empty maps and lists.
 */
export function normalizeMetadata(metadata: JsonObject): void {
  for (const [field, value] of Object.entries(metadata)) {
    // An empty managedFields has a meaning for the code that manages field owners.
    if (field === 'managedFields' && value !== null) continue;
    const empty = value === null || value === '' || isEmpty(value);
    if (empty || !known.has(field)) delete metadata[field];
  }
}

function isEmpty(value: JsonObject[string]): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
