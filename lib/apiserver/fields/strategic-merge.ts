import { clone, deepEqual, define, isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { SchemaNode } from '../schema/node.ts';
import { ordered } from './element-order.ts';
import { childNode, itemNode } from './owned-fields.ts';

const PATCH = '$patch';
const RETAIN = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const ORDER = '$setElementOrder/';

/** An invalid strategic merge patch; `code` is the HTTP status of the real server for the text. */
export class StrategicPatchError extends Error {
  override readonly name = 'StrategicPatchError';
  readonly code: 400 | 500;

  constructor(code: 400 | 500, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Applies a strategic merge patch. Maps merge; lists with a merge key merge item by item; sets merge by element; other
 * lists are replaced. The directives `$patch`, `$retainKeys`, `$setElementOrder` and `$deleteFromPrimitiveList` do what
 * the Kubernetes documentation says. Neither argument is changed.
 * @throws StrategicPatchError
 */
export function strategicMergePatch(live: JsonObject, patch: JsonObject, kindNode: SchemaNode): JsonObject {
  return mergeMap(live, patch, kindNode);
}

function mergeMap(live: JsonObject, patch: JsonObject, node: SchemaNode): JsonObject {
  const directive = patch[PATCH];
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge') throw unknownDirective(patch);

  const result = clone(retained(live, patch));
  for (const name of Object.keys(patch)) {
    if (name === PATCH || name === RETAIN || name.startsWith(ORDER)) continue;
    if (name.startsWith(DELETE_FROM)) {
      deleteElements(result, name.slice(DELETE_FROM.length), patch[name] ?? null);
      continue;
    }
    const value = patch[name] ?? null;
    if (value === null) delete result[name];
    else define(result, name, mergeValue(result[name], value, childNode(node, name), orderOf(patch, name), live[name]));
  }
  reorderUntouched(result, live, patch, node);
  return result;
}

function mergeValue(
  live: JsonValue | undefined,
  patch: JsonValue,
  node: SchemaNode,
  order: readonly JsonValue[] | undefined,
  original: JsonValue | undefined,
): JsonValue {
  if (isObject(patch)) return isObject(live) ? mergeMap(live, patch, node) : withoutDirectives(patch);
  if (!Array.isArray(patch)) return patch;
  if (node.listType === 'atomic') return patch.map(cleaned);
  const present = Array.isArray(live) ? live : [];
  const before = Array.isArray(original) ? original : [];
  const kept = patch.filter((item) => !isDeletion(item) && !isReplacement(item));
  if (node.listType === 'set') {
    const merged = [
      ...present,
      ...patch.filter((each, at) => !has(present, each) && patch.findIndex(same(each)) === at),
    ];
    return ordered(
      merged,
      orderGiven(kept, order, (element) => element),
      before,
      (element) => element,
    );
  }
  const key = node.listKeys[0] ?? '';
  const keyOf = (item: JsonValue): JsonValue => (isObject(item) ? (item[key] ?? null) : item);
  return ordered(mergeItems(present, patch, key, node), orderGiven(kept, order, keyOf), before, keyOf);
}

/** The order of a merged list: the order that the patch gives or, without one, that of the patch's own items. */
function orderGiven(
  kept: readonly JsonValue[],
  order: readonly JsonValue[] | undefined,
  identity: (item: JsonValue) => JsonValue,
): readonly JsonValue[] {
  if (order === undefined) return kept;
  let from = 0;
  for (const item of kept) {
    const at = order.findIndex((each, index) => index >= from && deepEqual(identity(each), identity(item)));
    if (at < 0) {
      const [patch, list] = [goText([...kept]), goText([...order])];
      throw new StrategicPatchError(
        500,
        `The order in patch list:\n${patch}\n doesn't match $setElementOrder list:\n${list}\n`,
      );
    }
    from = at + 1;
  }
  return order;
}

function mergeItems(
  live: readonly JsonValue[],
  patch: readonly JsonValue[],
  key: string,
  node: SchemaNode,
): JsonValue[] {
  const replacing = patch.some(isReplacement);
  const items: JsonValue[] = replacing ? [] : [...live];
  for (const item of patch) {
    if (!isObject(item)) {
      throw new StrategicPatchError(500, `list element types are not identical: ${goText([[...live], [...patch]])}`);
    }
    const directive = item[PATCH];
    if (directive === 'replace' && Object.keys(item).length === 1) continue;
    const value = item[key];
    if (value === undefined) {
      throw new StrategicPatchError(500, `map: ${goText(item)} does not contain declared merge key: ${key}`);
    }
    const at = items.findIndex((each) => isObject(each) && deepEqual(each[key], value));
    if (directive === 'delete') {
      if (at >= 0) items.splice(at, 1);
    } else if (directive !== undefined && directive !== 'merge' && directive !== 'replace') {
      throw unknownDirective(item);
    } else {
      const present = items[at];
      const merged = isObject(present) ? mergeMap(present, item, itemNode(node)) : withoutDirectives(item);
      if (at >= 0) items[at] = merged;
      else items.push(merged);
    }
  }
  return items;
}

/** The live map with only the members that `$retainKeys` names, if the patch has it. */
function retained(live: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch[RETAIN];
  if (keys === undefined) return live;
  if (!Array.isArray(keys)) throw new StrategicPatchError(400, 'invalid patch format of retainKeys');
  const missing = Object.keys(patch).some(
    (name) => !name.startsWith('$') && patch[name] !== null && !keys.includes(name),
  );
  if (missing) throw new StrategicPatchError(400, 'invalid patch format of retainKeys');
  return Object.fromEntries(Object.entries(live).filter(([name]) => keys.includes(name)));
}

function deleteElements(result: JsonObject, name: string, elements: JsonValue): void {
  const list = result[name];
  if (Array.isArray(list) && Array.isArray(elements)) result[name] = list.filter((each) => !has(elements, each));
}

/** A patch may change the order of a list although it has no items for the list, or only deletes some. */
function reorderUntouched(result: JsonObject, live: JsonObject, patch: JsonObject, node: SchemaNode): void {
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(ORDER)) continue;
    const name = directive.slice(ORDER.length);
    const list = result[name];
    if (patch[name] !== undefined || !Array.isArray(list)) continue;
    result[name] = mergeValue(list, [], childNode(node, name), orderOf(patch, name), live[name]);
  }
}

/** The identities that `$setElementOrder` lists for a field: values, or items of which only the key counts. */
function orderOf(patch: JsonObject, name: string): readonly JsonValue[] | undefined {
  const order = patch[`${ORDER}${name}`];
  if (order === undefined) return undefined;
  if (!Array.isArray(order)) throw new StrategicPatchError(400, 'invalid patch format of setElementOrder list');
  return order;
}

function has(list: readonly JsonValue[], value: JsonValue): boolean {
  return list.some(same(value));
}

function same(value: JsonValue): (other: JsonValue) => boolean {
  return (other) => deepEqual(value, other);
}

function cleaned(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(cleaned);
  return isObject(value) ? withoutDirectives(value) : value;
}

/** The content of a patch without directives and nulls, for a field that has no value yet. */
function withoutDirectives(patch: JsonObject): JsonObject {
  const content: JsonObject = {};
  for (const name of Object.keys(patch)) {
    const value = patch[name] ?? null;
    if (value === null || name === PATCH || name === RETAIN) continue;
    if (name.startsWith(ORDER) || name.startsWith(DELETE_FROM)) continue;
    define(
      content,
      name,
      Array.isArray(value) ? value.filter((item) => !isDeletion(item)).map(cleaned) : cleaned(value),
    );
  }
  return content;
}

function isDeletion(item: JsonValue): boolean {
  return isObject(item) && item[PATCH] === 'delete';
}

function isReplacement(item: JsonValue): boolean {
  return isObject(item) && item[PATCH] === 'replace';
}

function unknownDirective(patch: JsonObject): StrategicPatchError {
  return new StrategicPatchError(500, `unknown patch type: ${goText(patch[PATCH] ?? null)} in map: ${goText(patch)}`);
}

/** A value as Go prints it with `%v`. */
function goText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return value === null ? '<nil>' : String(value);
  const members = Object.keys(value).sort();
  return `map[${members.map((name) => `${name}:${goText(value[name] ?? null)}`).join(' ')}]`;
}
