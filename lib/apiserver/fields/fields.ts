import { clone, deepEqual, isObject, type JsonObject, objectAt } from '../json.ts';
import { checkApplied } from './check-applied.ts';
import { compareObjects } from './compare-objects.ts';
import type { ApplyConflict } from './conflicts.ts';
import { difference, type FieldSet, hasPath, intersection, isEmpty, membersOf, union } from './field-set.ts';
import { inheritedFields, syncLastApplied } from './last-applied.ts';
import {
  entryKey,
  type ManagedEntry,
  type Managers,
  readManagers,
  withManagers,
  withoutManagers,
} from './managed-fields.ts';
import { mergeApplied } from './merge-applied.ts';
import { blankObject, ownedFields, withNamedFields } from './owned-fields.ts';
import {
  afterChange,
  claim,
  disputed,
  effective,
  foldOldUpdaters,
  NOTHING,
  ownable,
  type Writer,
} from './ownership.ts';
import { printPath } from './path-element.ts';
import { removeFields, withoutNulls } from './remove-fields.ts';

export type { ApplyConflict } from './conflicts.ts';
export type { Writer } from './ownership.ts';

export interface Apply extends Writer {
  /** The present object; undefined when the apply creates it. */
  readonly live: JsonObject | undefined;
  readonly applied: JsonObject;
  /** Takes fields of others instead of reporting a conflict. */
  readonly force: boolean;
  /**
   * Whether the kind is a custom resource. As on the real server, a list or map that an apply empties becomes null
   * there, and validation decides. For other kinds it is removed.
   */
  readonly custom?: boolean;
}

export type Applied =
  | { readonly ok: true; readonly object: JsonObject }
  | { readonly ok: false; readonly conflicts: readonly ApplyConflict[] };

export interface Update extends Writer {
  /** The object before the write; undefined for a creation. */
  readonly before: JsonObject | undefined;
  /** The object that will be stored. */
  readonly after: JsonObject;
}

/**
 * Server-side apply (Kubernetes documentation, "Server-Side Apply"): merges the configuration into the live object,
 * removes what this manager applied before and does not apply any more, and records its ownership. When nothing changes
 * the entries keep their times, so that the caller can compare and write nothing. Arguments are not changed.
 * All entries are read in the version of the request. The caller applies defaults to the result and then calls
 * `keepTimes`.
 * @throws ApplyError when the configuration has managedFields, undeclared fields, or lists that cannot be merged
 */
export function applyObject(apply: Apply): Applied {
  const { live = NOTHING, applied, node, apiVersion, manager } = apply;
  checkApplied(applied, node);
  const present = withoutManagers(live);
  const managers = knownManagers(apply, present);
  const identity = { manager, operation: 'Apply' as const, apiVersion, subresource: apply.subresource ?? '' };
  const self = entryKey(identity);
  const last = managers.get(self);

  const entry: ManagedEntry = {
    ...identity,
    time: last?.time ?? '',
    fields: ownable(ownedFields(applied, node), apply),
  };
  managers.set(self, entry);
  const object = prune(mergeApplied(present, applied, node), managers, last?.fields, apply);
  const change = effective(compareObjects(present, object, node), apply);

  const lost = disputed(managers, self, change);
  const inherited = lost.size === 0 ? NOTHING : inheritedFields(live, manager, apiVersion, node);
  const conflicts = apply.force ? [] : conflictsOf(lost, managers, inherited);
  if (conflicts.length > 0) return { ok: false, conflicts };

  const left = afterChange(managers, self, change);
  if (left.has(self) && !deepEqual(object, present)) left.set(self, { ...entry, time: apply.time });
  // A copy, so that a caller who completes the result does not change the present object.
  const decoded = syncLastApplied(
    apply.custom === true ? withMetadataDecoded(object) : withoutNulls(object),
    applied,
    manager,
  );
  return { ok: true, object: clone(withManagers(decoded, left)) };
}

/** Metadata has a declared type in custom resources too. */
function withMetadataDecoded(object: JsonObject): JsonObject {
  const metadata = objectAt(object, 'metadata');
  return metadata === undefined ? object : { ...object, metadata: withoutNulls(metadata) };
}

/** The entries of the present object. Fields that were set before the first apply get their own manager. */
function knownManagers(apply: Apply, present: JsonObject): Map<string, ManagedEntry> {
  const managers = new Map(readManagers(apply.live));
  if (managers.size === 0 && apply.live !== undefined) {
    const all = compareObjects(blankObject(apply.node), present, apply.node);
    claim(
      managers,
      { ...apply, manager: 'before-first-apply', subresource: '' },
      ownable(union(all.modified, all.added), apply),
    );
  }
  return managers;
}

/**
 * Removes the fields that the manager applied last time and does not apply any more, unless another manager owns them.
 */
function prune(merged: JsonObject, managers: Managers, last: FieldSet | undefined, { node }: Writer): JsonObject {
  if (last === undefined || isEmpty(last)) return merged;
  const dropped = withNamedFields(last, node);
  const mergedFields = withNamedFields(ownedFields(merged, node), node);
  let managed: FieldSet = {};
  for (const entry of managers.values()) managed = union(managed, entry.fields);

  const bare = removeFields(merged, dropped, node);
  const kept = union(withNamedFields(ownedFields(bare, node), node), withNamedFields(managed, node));
  const pruned = removeFields(merged, difference(mergedFields, kept), node);
  // A field without an owner did not belong to this manager either, so it stays.
  const prunedFields = withNamedFields(ownedFields(pruned, node), node);
  return removeFields(merged, intersection(difference(mergedFields, prunedFields), dropped), node);
}

function conflictsOf(
  lost: ReadonlyMap<string, FieldSet>,
  managers: Managers,
  inherited: FieldSet,
): readonly ApplyConflict[] {
  const conflicts: ApplyConflict[] = [];
  for (const [key, fields] of lost) {
    const entry = managers.get(key);
    if (entry === undefined) continue;
    for (const path of membersOf(fields)) {
      if (hasPath(inherited, path)) continue;
      conflicts.push({
        manager: entry.manager,
        operation: entry.operation,
        apiVersion: entry.apiVersion,
        ...(entry.subresource === '' ? {} : { subresource: entry.subresource }),
        path: printPath(path),
      });
    }
  }
  return conflicts;
}

/**
 * Records the owners of fields after a create, update or patch. The manager owns every field that it changed. A field
 * that was removed has no owner. A field that did not change keeps its owner. Returns the object to be stored;
 * arguments are not changed.
 * A client may set `metadata.managedFields` itself, through the main endpoint. An empty list ends the tracking of
 * fields until the next apply. When the list is absent or malformed, the list of the present object is used.
 */
export function updateManagedFields(update: Update): JsonObject {
  const { before, after, node } = update;
  const managers = new Map(trackedManagers(update));
  if (managers.size === 0 && before !== undefined) return withManagers(after, managers);
  const change = effective(
    compareObjects(withoutManagers(before ?? blankObject(node)), withoutManagers(after), node),
    update,
  );
  const left = afterChange(managers, '', change);
  claim(left, update, ownable(union(change.modified, change.added), update));
  foldOldUpdaters(left);
  return withManagers(after, left);
}

function trackedManagers({ before, after, subresource = '' }: Update): Managers {
  const own = readManagers(before) ?? new Map();
  if (subresource !== '') return own;
  if (resetsManagers(after)) return new Map();
  const given = readManagers(after);
  return given === undefined || given.size === 0 ? own : given;
}

function resetsManagers(object: JsonObject): boolean {
  const entries = objectAt(object, 'metadata')?.managedFields;
  if (!Array.isArray(entries)) return false;
  const [first] = entries;
  return entries.length === 0 || (entries.length === 1 && isObject(first) && Object.keys(first).length === 0);
}

/**
 * The object with the old times of its entries, when nothing else is different. Such a write then changes nothing
 * (k8s.io/apiserver, IgnoreManagedFieldsTimestampsTransformer).
 */
export function keepTimes(before: JsonObject, after: JsonObject): JsonObject {
  const [old, next] = [readManagers(before), readManagers(after)];
  if (old === undefined || next === undefined || old.size !== next.size) return after;
  const entriesEqual = [...next].every(([key, entry]) => {
    const known = old.get(key);
    return known !== undefined && deepEqual({ ...known, time: '' }, { ...entry, time: '' });
  });
  if (!entriesEqual || !deepEqual(withoutManagers(before), withoutManagers(after))) return after;
  return withManagers(after, old);
}
