import { arrayAt, isObject, type JsonObject, type JsonValue, objectAt, stringAt } from '../json.ts';
import { EMPTY, type FieldSet, isEmpty, isFieldSet, ordered } from './field-set.ts';

/** One entry of metadata.managedFields: the fields that one manager owns by one kind of write. */
export interface ManagedEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** RFC 3339, or empty: an entry that never changed the object has none. */
  readonly time: string;
  readonly fields: FieldSet;
}

/** The entries by their identity. */
export type Managers = ReadonlyMap<string, ManagedEntry>;

/** The identity of an entry. An applier keeps its entry when it changes to another API version. */
export function entryKey(entry: Omit<ManagedEntry, 'time' | 'fields'>): string {
  const apiVersion = entry.operation === 'Apply' ? '' : entry.apiVersion;
  return JSON.stringify([entry.manager, entry.operation, apiVersion, entry.subresource]);
}

/** The entries of an object; undefined for a malformed list, which the real server treats as an absent one. */
export function readManagers(object: JsonObject | undefined): Managers | undefined {
  const managers = new Map<string, ManagedEntry>();
  for (const value of arrayAt(objectAt(object, 'metadata'), 'managedFields')) {
    const entry = readEntry(value);
    if (entry === undefined) return undefined;
    managers.set(entryKey(entry), entry);
  }
  return managers;
}

function readEntry(value: JsonValue): ManagedEntry | undefined {
  if (!isObject(value)) return undefined;
  const operation = value.operation;
  const fields = value.fieldsV1 ?? {};
  const apiVersion = stringAt(value, 'apiVersion');
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (apiVersion === '' || value.fieldsType !== 'FieldsV1' || !isFieldSet(fields)) return undefined;
  return {
    manager: stringAt(value, 'manager'),
    operation,
    apiVersion,
    subresource: stringAt(value, 'subresource'),
    time: stringAt(value, 'time'),
    fields: isEmpty(fields) ? EMPTY : fields,
  };
}

/** The object with these entries, in the order of the real server. Without entries the member is absent. */
export function withManagers(object: JsonObject, managers: Managers): JsonObject {
  const { managedFields: _old, ...metadata } = objectAt(object, 'metadata') ?? {};
  const entries = [...managers.values()].sort(compareEntries).map(writeEntry);
  return { ...object, metadata: entries.length === 0 ? metadata : { ...metadata, managedFields: entries } };
}

function writeEntry(entry: ManagedEntry): JsonObject {
  return {
    ...(entry.manager === '' ? {} : { manager: entry.manager }),
    operation: entry.operation,
    apiVersion: entry.apiVersion,
    ...(entry.time === '' ? {} : { time: entry.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: ordered(entry.fields),
    ...(entry.subresource === '' ? {} : { subresource: entry.subresource }),
  };
}

function compareEntries(left: ManagedEntry, right: ManagedEntry): number {
  return (
    compare(left.operation, right.operation) ||
    seconds(left.time) - seconds(right.time) ||
    compare(left.manager, right.manager) ||
    compare(left.apiVersion, right.apiVersion) ||
    compare(left.subresource, right.subresource)
  );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function seconds(time: string): number {
  return time === '' ? 0 : Math.floor(Date.parse(time) / 1000);
}

/** The object without its entries, for comparisons. */
export function withoutManagers(object: JsonObject): JsonObject {
  const metadata = objectAt(object, 'metadata');
  if (metadata === undefined || !Object.hasOwn(metadata, 'managedFields')) return object;
  const { managedFields: _entries, ...rest } = metadata;
  return { ...object, metadata: rest };
}
