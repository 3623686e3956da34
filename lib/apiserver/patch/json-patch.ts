import { ApiError, badRequest } from '../api-error.ts';
import { clone, deepEqual, define, isObject, type JsonObject, type JsonValue, jsonText } from '../json.ts';
import { isTooDeep } from '../json-depth.ts';

const maxOperations = 10_000;
/** The largest total size of all copies of one patch, as JSON: the real server's JSONPatchMaxCopyBytes. */
const maxCopiedBytes = 3 * 1024 * 1024;

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from: string | undefined;
  readonly value: JsonValue | undefined;
}

/** Reads an RFC 6902 patch. @throws ApiError 400 for an invalid patch. */
export function parseJsonPatch(patch: JsonValue): readonly Operation[] {
  if (!Array.isArray(patch)) {
    throw badRequest(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
  }
  if (patch.length > maxOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`;
    throw new ApiError(413, 'RequestEntityTooLarge', `Request entity is too large: ${message}`);
  }
  return patch.map((each) => {
    if (!isObject(each) || typeof each.op !== 'string' || typeof each.path !== 'string') {
      throw badRequest('error decoding patch: each operation needs the strings op and path');
    }
    const from = typeof each.from === 'string' ? each.from : undefined;
    return { op: each.op, path: each.path, from, value: each.value };
  });
}

/** Applies the patch to a copy of the object. @throws ApiError 422 when an operation fails; this includes `test`. */
export function applyJsonPatch(object: JsonObject, patch: readonly Operation[]): JsonObject {
  let document: JsonValue = clone(object);
  let copiedBytes = 0;
  for (const operation of patch) {
    if (operation.op === 'copy') {
      const copied = lookUp(document, required(operation.from));
      if (isTooDeep(copied)) throw tooDeep();
      copiedBytes += Buffer.byteLength(jsonText(copied));
      if (copiedBytes > maxCopiedBytes) throw refused();
    }
    document = applyOperation(document, operation);
  }
  if (isTooDeep(document)) throw tooDeep();
  if (!isObject(document)) throw badRequest('the patch does not leave an object');
  return document;
}

function applyOperation(document: JsonValue, { op, path, from, value }: Operation): JsonValue {
  switch (op) {
    case 'add':
      return add(document, path, clone(required(value)));
    case 'replace':
      if (path === '') return clone(required(value));
      lookUp(document, path);
      return replace(document, path, clone(required(value)));
    case 'remove':
      return remove(document, path);
    case 'move': {
      const moved = lookUp(document, required(from));
      return add(remove(document, required(from)), path, moved);
    }
    case 'copy':
      return add(document, path, clone(lookUp(document, required(from))));
    case 'test':
      test(document, path, value ?? null);
      return document;
    default:
      throw refused();
  }
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw refused();
  return value;
}

function tooDeep(): ApiError {
  return badRequest('error decoding patch: exceeded max depth');
}

/** The real server says that the patch did not apply, but not why. */
function refused(): ApiError {
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

function test(document: JsonValue, path: string, wanted: JsonValue): void {
  let found: JsonValue | undefined;
  try {
    found = lookUp(document, path);
  } catch (error) {
    if (wanted === null) return;
    throw error;
  }
  if (!deepEqual(found, wanted)) throw refused();
}

function pointerParts(path: string): string[] {
  if (path === '') return [];
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function lookUp(document: JsonValue, path: string): JsonValue {
  let value: JsonValue = document;
  for (const part of pointerParts(path)) {
    const next = childOf(value, part);
    if (next === undefined) throw refused();
    value = next;
  }
  return value;
}

function childOf(value: JsonValue, part: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[indexOf(value, part, false)];
  if (isObject(value) && Object.hasOwn(value, part)) return value[part];
  return undefined;
}

/** The index that the part names. With `forAdd` it may also be the position after the last element. */
function indexOf(array: readonly JsonValue[], part: string, forAdd: boolean): number {
  if (part === '-') return forAdd ? array.length : -1;
  if (!/^-?\d+$/.test(part)) throw refused();
  const index = Number(part);
  if (index < 0 || index > array.length || (index === array.length && !forAdd)) {
    throw refused();
  }
  return index;
}

function parentOf(document: JsonValue, path: string): { parent: JsonValue[] | JsonObject; last: string } {
  const parts = pointerParts(path);
  const last = parts.pop();
  let parent: JsonValue = document;
  for (const part of parts) {
    const next = childOf(parent, part);
    if (next === undefined) throw refused();
    parent = next;
  }
  if (last === undefined || !(Array.isArray(parent) || isObject(parent))) throw refused();
  return { parent, last };
}

function add(document: JsonValue, path: string, value: JsonValue): JsonValue {
  if (path === '') return value;
  const { parent, last } = parentOf(document, path);
  if (Array.isArray(parent)) parent.splice(indexOf(parent, last, true), 0, value);
  else define(parent, last, value);
  return document;
}

function replace(document: JsonValue, path: string, value: JsonValue): JsonValue {
  const { parent, last } = parentOf(document, path);
  if (Array.isArray(parent)) parent[indexOf(parent, last, false)] = value;
  else define(parent, last, value);
  return document;
}

function remove(document: JsonValue, path: string): JsonValue {
  const { parent, last } = parentOf(document, path);
  if (Array.isArray(parent)) {
    parent.splice(indexOf(parent, last, false), 1);
  } else {
    if (!Object.hasOwn(parent, last)) throw refused();
    delete parent[last];
  }
  return document;
}
