import { ownField } from './own-field.ts';

/** One field that differs between two states of an object. */
export interface FieldDifference {
  /** Names and positions, e.g. `['spec', 'containers', '[name=app]', 'image']`. */
  readonly path: readonly string[];
  /** Undefined when the field is absent. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Metadata that the API server sets by itself or that identifies the object. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'resourceVersion',
  'generation',
  'uid',
  'creationTimestamp',
  'selfLink',
  'managedFields',
]);
/** Fields that identify the elements of a list, if all elements have one and all are different. */
const ELEMENT_NAMES = ['name', 'type'] as const;

/**
 * The fields that differ. In a status an empty value counts as absent, because the embedded API server keeps it there
 * and the real one leaves it out. A list whose elements have names is compared by the names.
 */
export function fieldDifferences(before: unknown, after: unknown): FieldDifference[] {
  const found: FieldDifference[] = [];
  compare(before, after, [], found);
  return found;
}

function compare(before: unknown, after: unknown, path: readonly string[], found: FieldDifference[]): void {
  if ((before ?? undefined) === undefined && (after ?? undefined) === undefined) return;
  if (path[0] === 'status' && isEmpty(before) && isEmpty(after)) return;
  const [left, right] = [membersOf(before, after), membersOf(after, before)];
  if (left !== undefined && right !== undefined) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      if (path.length === 1 && path[0] === 'metadata' && NOT_COMPARED.has(key)) continue;
      compare(ownField(left, key), ownField(right, key), [...path, key], found);
    }
    return;
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    compareLists(before, after, path, found);
    return;
  }
  if (before !== after) found.push({ path, before, after });
}

/** The members of a value. An absent object counts as an empty one, so that each field of the other one is listed. */
function membersOf(value: unknown, other: unknown): Record<string, unknown> | undefined {
  if (isRecord(value)) return value;
  return value === undefined && isRecord(other) && Object.keys(other).length > 0 ? {} : undefined;
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: readonly string[],
  found: FieldDifference[],
): void {
  const name = ELEMENT_NAMES.find((field) => areNames(before, field) && areNames(after, field));
  const left = byId(before, name);
  const right = byId(after, name);
  for (const id of new Set([...left.keys(), ...right.keys()])) {
    compare(left.get(id), right.get(id), [...path, id], found);
  }
}

function byId(list: readonly unknown[], name: string | undefined): Map<string, unknown> {
  return new Map(
    list.map((item, index) => [
      name === undefined ? `[${index}]` : `[${name}=${ownField(item as object, name)}]`,
      item,
    ]),
  );
}

function areNames(list: readonly unknown[], field: string): boolean {
  const names = list.map((item) => (isRecord(item) ? ownField(item, field) : undefined));
  return names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.values(value).every(isEmpty);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `spec.containers[name=app].image` */
export function pathText(path: readonly string[]): string {
  return path.map((step, index) => (step.startsWith('[') || index === 0 ? step : `.${step}`)).join('');
}
