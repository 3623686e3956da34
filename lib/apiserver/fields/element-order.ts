import { deepEqual, isObject, type JsonValue } from '../json.ts';

/**
 * A merged list in the order that a patch asks for. Elements of the patch have the order of the patch. Other elements
 * keep their position relative to the elements that both lists had.
 */
export function ordered(
  merged: readonly JsonValue[],
  order: readonly JsonValue[],
  before: readonly JsonValue[],
  identity: (item: JsonValue) => JsonValue,
): JsonValue[] {
  const wanted = order.map((each) => (isObject(each) ? identity(each) : each));
  const position = (list: readonly JsonValue[], item: JsonValue): number =>
    list.findIndex((each) => deepEqual(each, identity(item)));
  const old = before.map(identity);

  const listed = merged.filter((item) => position(wanted, item) >= 0);
  listed.sort((left, right) => position(wanted, left) - position(wanted, right));
  const others = merged.filter((item) => position(wanted, item) < 0);
  others.sort((left, right) => position(old, left) - position(old, right));

  const result: JsonValue[] = [];
  let [l, o] = [0, 0];
  while (l < listed.length && o < others.length) {
    const [mine, theirs] = [listed[l] ?? null, others[o] ?? null];
    const [at, otherAt] = [position(old, mine), position(old, theirs)];
    if (at >= 0 && otherAt >= 0 && at > otherAt) {
      result.push(theirs);
      o += 1;
    } else {
      result.push(mine);
      l += 1;
    }
  }
  return [...result, ...listed.slice(l), ...others.slice(o)];
}
