import { clone, define, isObject, type JsonObject, type JsonValue } from '../json.ts';

/** Applies an RFC 7386 merge patch. The result shares no parts with the arguments. */
export function applyMergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const [member, value] of Object.entries(target)) {
    if (!Object.hasOwn(patch, member)) define(result, member, clone(value));
  }
  for (const [member, value] of Object.entries(patch)) {
    if (value === null) continue;
    const present = Object.hasOwn(target, member) ? target[member] : undefined;
    define(result, member, merged(present, value));
  }
  return result;
}

function merged(present: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return clone(patch);
  return applyMergePatch(isObject(present) ? present : {}, patch);
}
