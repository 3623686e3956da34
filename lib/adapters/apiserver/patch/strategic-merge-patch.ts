import { badRequest } from '../api-error.ts';
import { clone, deepEqual, define, isObject, type JsonObject, type JsonValue, objectsAt, stringsAt } from '../json.ts';
import { listMerge } from './merge-keys.ts';

const orderPrefix = '$setElementOrder/';
const deletePrefix = '$deleteFromPrimitiveList/';

/**
 * Applies a strategic merge patch, with its directives, to an object of a built-in kind. The result shares nothing with
 * either argument. Throws the ApiError of a bad request for a patch that cannot be carried out.
 */
export function applyStrategicMergePatch(target: JsonObject, patch: JsonObject, kind: string): JsonObject {
  return mergeObject(target, patch, { kind, path: [] });
}

interface Place {
  readonly kind: string;
  readonly path: readonly string[];
}

function within({ kind, path }: Place, member: string): Place {
  return { kind, path: [...path, member] };
}

function mergeObject(target: JsonObject, patch: JsonObject, place: Place): JsonObject {
  const directive = patch.$patch;
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge') {
    throw badRequest(`unknown patch type found: ${JSON.stringify(directive)}`);
  }
  const retained = patch.$retainKeys === undefined ? undefined : new Set(stringsAt(patch, '$retainKeys'));
  const result: JsonObject = {};
  for (const [member, value] of Object.entries(target)) {
    if (retained === undefined || retained.has(member)) define(result, member, clone(value));
  }
  for (const [member, value] of Object.entries(patch)) {
    if (member.startsWith(deletePrefix)) deleteValues(result, member.slice(deletePrefix.length), value);
  }
  for (const [member, value] of Object.entries(patch)) {
    if (member.startsWith('$')) continue;
    mergeMember(result, member, value, within(place, member), patch);
  }
  for (const [member, value] of Object.entries(patch)) {
    if (member.startsWith(orderPrefix)) orderList(result, member.slice(orderPrefix.length), value, place);
  }
  return result;
}

function mergeMember(result: JsonObject, member: string, value: JsonValue, place: Place, patch: JsonObject): void {
  if (value === null) {
    delete result[member];
    return;
  }
  const present = Object.hasOwn(result, member) ? result[member] : undefined;
  if (isObject(value)) {
    if (value.$patch === 'delete') delete result[member];
    else define(result, member, isObject(present) ? mergeObject(present, value, place) : withoutDirectives(value));
    return;
  }
  if (Array.isArray(value)) {
    const list = Array.isArray(present) ? present : [];
    define(result, member, mergeList(list, value, place, patch[`${orderPrefix}${member}`] !== undefined));
    return;
  }
  define(result, member, value);
}

function mergeList(present: JsonValue[], patch: JsonValue[], place: Place, ordered: boolean): JsonValue[] {
  const merge = listMerge(place.kind, place.path);
  if (merge === 'replace') return patch.map(cleaned);
  if (merge === 'set') {
    const added = patch.filter((value) => !present.some((each) => deepEqual(each, value)));
    return [...present, ...clone(added)];
  }
  if (patch.some((element) => isObject(element) && element.$patch === 'replace')) {
    return patch.filter((element) => !(isObject(element) && element.$patch === 'replace')).map(cleaned);
  }
  const { key } = merge;
  let result = [...present];
  const added: JsonValue[] = [];
  for (const element of patch) {
    if (!isObject(element)) throw badRequest(`the elements of ${place.path.join('.')} must be objects`);
    const identity = element[key];
    if (identity === undefined) {
      throw badRequest(`map: ${JSON.stringify(element)} does not contain declared merge key: ${key}`);
    }
    const matches = (each: JsonValue): boolean => isObject(each) && deepEqual(each[key], identity);
    if (element.$patch === 'delete') {
      result = result.filter((each) => !matches(each));
      continue;
    }
    const found = result.findIndex(matches);
    const old = result[found];
    if (isObject(old)) result[found] = mergeObject(old, element, place);
    else added.push(withoutDirectives(element));
  }
  // Without an order of its own, what the patch adds comes first, as on the real server.
  return ordered ? [...result, ...added] : [...added, ...result];
}

function deleteValues(result: JsonObject, member: string, values: JsonValue): void {
  const present = result[member];
  if (!Array.isArray(present) || !Array.isArray(values)) return;
  result[member] = present.filter((each) => !values.some((value) => deepEqual(each, value)));
}

/** Puts the elements that the directive names in its order; those that only the server knows stay behind their neighbours. */
function orderList(result: JsonObject, member: string, order: JsonValue, place: Place): void {
  const list = result[member];
  if (!Array.isArray(list) || !Array.isArray(order)) return;
  const merge = listMerge(place.kind, [...place.path, member]);
  const identity = (element: JsonValue): JsonValue | undefined =>
    typeof merge === 'object' && isObject(element) ? element[merge.key] : element;
  const rank = (element: JsonValue): number => order.findIndex((each) => deepEqual(identity(each), identity(element)));
  const sorted = list.filter((element) => rank(element) >= 0).sort((left, right) => rank(left) - rank(right));
  list.forEach((element, index) => {
    if (rank(element) >= 0) return;
    const before = list.slice(0, index).findLast((each) => sorted.includes(each));
    sorted.splice(before === undefined ? 0 : sorted.indexOf(before) + 1, 0, element);
  });
  result[member] = sorted;
}

function cleaned(value: JsonValue): JsonValue {
  return isObject(value) ? withoutDirectives(value) : clone(value);
}

/** What a patch sets where there is nothing to merge with: itself, without its directives and nulls. */
function withoutDirectives(patch: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const [member, value] of Object.entries(patch)) {
    if (member.startsWith('$') || value === null) continue;
    if (isObject(value)) define(result, member, withoutDirectives(value));
    else if (Array.isArray(value)) {
      const kept = objectsAt(patch, member).length > 0 ? value.filter((each) => !isDeletion(each)) : value;
      define(result, member, kept.map(cleaned));
    } else define(result, member, value);
  }
  return result;
}

function isDeletion(element: JsonValue): boolean {
  return isObject(element) && element.$patch === 'delete';
}
