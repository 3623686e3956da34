import { deepEqual, isObject, type JsonValue } from '../json.ts';

/** The old list, and the keys that identify its items. Without keys no item can be matched. */
export interface OldItems {
  readonly list: JsonValue | undefined;
  readonly keys: readonly string[];
}

/** The old item that has the same keys as the new one, or undefined. */
export function findOld(old: OldItems, item: JsonValue): JsonValue | undefined {
  const { list, keys } = old;
  if (keys.length === 0 || !Array.isArray(list) || !isObject(item)) return undefined;
  return list.find((before) => isObject(before) && keys.every((key) => deepEqual(before[key], item[key])));
}
