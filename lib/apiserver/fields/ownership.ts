import type { JsonObject } from '../json.ts';
import type { SchemaNode } from '../schema/node.ts';
import type { Comparison } from './compare-objects.ts';
import { difference, type FieldSet, intersection, isEmpty, union, withoutMembers } from './field-set.ts';
import { entryKey, type ManagedEntry, type Managers } from './managed-fields.ts';

/** The manager of a write, and the kind of the write. */
export interface Writer {
  readonly manager: string;
  /** The node of the written object's kind. */
  readonly node: SchemaNode;
  readonly apiVersion: string;
  /** RFC 3339, in whole seconds. */
  readonly time: string;
  /** The subresource that the write used; absent or empty for the object itself. */
  readonly subresource?: string;
  /**
   * Top-level fields that this endpoint resets, so that no manager can own them through it: `status` for the main
   * endpoint of a kind with a status subresource, `metadata` and `spec` for the status subresource.
   */
  readonly resetFields?: readonly string[];
}

/** Fields that the server itself maintains; no manager owns them (k8s.io/apimachinery, stripMeta). */
const SERVER_FIELDS: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:creationTimestamp': {},
    'f:selfLink': {},
    'f:uid': {},
    'f:clusterName': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:resourceVersion': {},
  },
};

const UPDATERS_KEPT = 10;
const ANCIENT = 'ancient-changes';

/** The fields of a set that the writer may own. */
export function ownable(fields: FieldSet, writer: Writer): FieldSet {
  return difference(withoutMembers(fields, writer.resetFields ?? []), SERVER_FIELDS);
}

/** The part of a difference that counts for a write through the writer's endpoint. */
export function effective(comparison: Comparison, writer: Writer): Comparison {
  const reset = writer.resetFields ?? [];
  return {
    added: withoutMembers(comparison.added, reset),
    modified: withoutMembers(comparison.modified, reset),
    removed: withoutMembers(comparison.removed, reset),
  };
}

/** The changed fields that other managers owned, by manager. `self` is left out. */
export function disputed(managers: Managers, self: string, change: Comparison): ReadonlyMap<string, FieldSet> {
  const changed = union(change.modified, change.added);
  const lost = new Map<string, FieldSet>();
  for (const [key, entry] of managers) {
    if (key === self) continue;
    const fields = intersection(entry.fields, changed);
    if (!isEmpty(fields)) lost.set(key, fields);
  }
  return lost;
}

/**
 * The managers after a change: others lose the fields that changed or were removed. A manager without fields is
 * removed.
 */
export function afterChange(managers: Managers, self: string, change: Comparison): Map<string, ManagedEntry> {
  const lost = union(union(change.modified, change.added), change.removed);
  const left = new Map<string, ManagedEntry>();
  for (const [key, entry] of managers) {
    const fields = key === self ? entry.fields : difference(entry.fields, lost);
    if (!isEmpty(fields)) left.set(key, fields === entry.fields ? entry : { ...entry, fields });
  }
  return left;
}

/** Adds a set to the writer's entry for updates. */
export function claim(managers: Map<string, ManagedEntry>, writer: Writer, fields: FieldSet): void {
  if (isEmpty(fields)) return;
  const identity = {
    manager: writer.manager === '' ? 'unknown' : writer.manager,
    operation: 'Update' as const,
    apiVersion: writer.apiVersion,
    subresource: writer.subresource ?? '',
  };
  const key = entryKey(identity);
  const before = managers.get(key)?.fields;
  managers.set(key, { ...identity, time: writer.time, fields: before === undefined ? fields : union(before, fields) });
}

/** When there are more updaters than the real server keeps, merges the oldest ones into one entry for each version. */
export function foldOldUpdaters(managers: Map<string, ManagedEntry>): void {
  const updaters = [...managers].filter(([, entry]) => entry.operation === 'Update');
  if (updaters.length <= UPDATERS_KEPT) return;
  updaters.sort(
    ([, left], [, right]) => Date.parse(left.time || '1970-01-01') - Date.parse(right.time || '1970-01-01'),
  );
  let count = updaters.length;
  const firsts = new Map<string, string>();
  for (const [key, entry] of updaters) {
    if (count <= UPDATERS_KEPT) return;
    const first = firsts.get(entry.apiVersion);
    if (first === undefined) {
      firsts.set(entry.apiVersion, key);
      continue;
    }
    const identity = { manager: ANCIENT, operation: 'Update' as const, apiVersion: entry.apiVersion, subresource: '' };
    const bucket = entryKey(identity);
    const kept = managers.get(bucket) ?? managers.get(first);
    if (!managers.has(bucket)) managers.delete(first);
    managers.set(bucket, { ...identity, time: entry.time, fields: union(entry.fields, kept?.fields ?? {}) });
    if (key !== bucket) managers.delete(key);
    count -= 1;
  }
}

/** An object that does not exist yet, for comparisons. */
export const NOTHING: JsonObject = Object.freeze({});
