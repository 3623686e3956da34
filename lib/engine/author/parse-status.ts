import type { JsonObject, JsonValue } from '../../core/kube-object.ts';
import { describeShape } from './describe-shape.ts';
import { InvalidResultError } from './invalid-result.ts';

/** The API server refuses deeper nesting. */
const MAX_DEPTH = 64;

/**
 * Returns a copy of a status that an author's code returned, in the form of a request.
 * @throws InvalidResultError that names the field that JSON cannot contain.
 */
export function parseStatus(value: unknown, what: string): JsonObject {
  const copy = copyValue(value, 'status', 0, what);
  if (isJsonObject(copy)) return copy;
  throw new InvalidResultError(
    `${what} returned a status that is ${describeShape(value)}: give a JSON object, or leave it out`,
  );
}

function copyValue(value: unknown, path: string, depth: number, what: string): JsonValue {
  if (depth > MAX_DEPTH) throw wrong(what, path, 'nested deeper than 64 levels, or contains itself', 'flatten it');
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw wrong(what, path, describeShape(value), 'give a finite number, or leave it out');
    case 'object':
      return value === null ? null : copyObject(value, path, depth, what);
    default:
      throw wrong(what, path, describeShape(value), 'give JSON, or leave it out');
  }
}

function copyObject(value: object, path: string, depth: number, what: string): JsonValue {
  if (Array.isArray(value)) {
    return Array.from(value, (item: unknown, index) => copyValue(item, `${path}[${index}]`, depth + 1, what));
  }
  const { toJSON, then } = value as { toJSON?: unknown; then?: unknown };
  if (typeof toJSON === 'function') return copyValue(toJSON.call(value), path, depth + 1, what);
  if (typeof then === 'function') throw wrong(what, path, 'a promise', 'await it');
  if (Object.prototype.toString.call(value) !== '[object Object]') {
    throw wrong(what, path, 'an object that JSON cannot hold', 'give a plain object or a list');
  }
  // A field that is undefined counts as absent, as in JSON.
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    fields.map(([key, field]) => [key, copyValue(field, `${path}.${shownKey(key)}`, depth + 1, what)]),
  );
}

function shownKey(key: string): string {
  return /^[A-Za-z_][\w-]{0,39}$/.test(key) ? key : '?';
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(what: string, path: string, found: string, instead: string): InvalidResultError {
  return new InvalidResultError(
    `${what} returned a status that is no JSON: ${path.slice(0, 160)} is ${found}; ${instead}`,
  );
}
