import type { JsonObject, JsonValue } from './kube-object.ts';
import { ownField } from './own-field.ts';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deep equality of JSON values; a property that is undefined counts as absent. */
export function jsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => jsonEqual(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  for (const key in left) if (!jsonEqual(left[key], ownField(right, key))) return false;
  for (const key in right) if (ownField(left, key) === undefined && right[key] !== undefined) return false;
  return true;
}

/** Deep equality where null counts as absent, as it does in a merge patch. */
export function equalButForNulls(left: unknown, right: unknown): boolean {
  return jsonEqual(withoutNulls(left), withoutNulls(right));
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value ?? undefined;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutNulls(member)]));
}

/** The value as canonical JSON: independent of the order of fields, and without fields that are undefined. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (isObject(part) ? sortedByKey(part) : part)) ?? '';
}

function sortedByKey(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The RFC 7396 merge patch that turns `from` into `to`, or undefined when they are equal. */
export function mergePatchBetween(from: unknown, to: JsonObject): JsonObject | undefined {
  const source = isObject(from) ? from : {};
  const patch = new Map<string, JsonValue>();
  for (const key in source) if (source[key] !== undefined && ownField(to, key) === undefined) patch.set(key, null);
  for (const key in to) {
    const wanted = to[key];
    const there = ownField(source, key);
    if (wanted === undefined || jsonEqual(there, wanted)) continue;
    const nested = isObject(wanted) && isObject(there) ? mergePatchBetween(there, wanted as JsonObject) : undefined;
    patch.set(key, nested ?? wanted);
  }
  return patch.size === 0 ? undefined : Object.fromEntries(patch);
}

/** RFC 7396: the target after the patch. Neither argument is changed. */
export function applyMergePatch(target: unknown, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const result = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
  for (const key in patch) {
    const value = patch[key];
    if (value === null) result.delete(key);
    else if (value !== undefined) result.set(key, applyMergePatch(result.get(key), value));
  }
  return Object.fromEntries(result) as JsonObject;
}
