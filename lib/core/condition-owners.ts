import { jsonEqual } from './json-merge.ts';
import type { JsonObject, JsonValue } from './kube-object.ts';

/**
 * Who computed each condition that a controller's passes put on an object: the controller, or the engine (for a
 * terminal error or a deletion). A condition of any other type belongs to somebody else.
 */
export type ConditionOwners = Readonly<Record<string, 'controller' | 'engine'>>;

/** The type of one entry of `status.conditions`; undefined if it is not a condition. */
function typeOf(entry: JsonValue | undefined): string | undefined {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return undefined;
  return typeof entry.type === 'string' ? entry.type : undefined;
}

/** `status.conditions` as a list of any entries; undefined when it is not a list. */
export function conditionEntries(status: unknown): readonly JsonValue[] | undefined {
  if (typeof status !== 'object' || status === null) return undefined;
  const { conditions } = status as { conditions?: unknown };
  return Array.isArray(conditions) ? (conditions as JsonValue[]) : undefined;
}

/** The types of the conditions in a status. */
export function conditionTypes(status: unknown): string[] {
  return (conditionEntries(status) ?? []).map(typeOf).filter((type) => type !== undefined);
}

/** The types of the conditions that `wanted` adds or changes. */
export function changedConditionTypes(current: unknown, wanted: unknown): string[] {
  const before = conditionEntries(current) ?? [];
  return (conditionEntries(wanted) ?? []).flatMap((entry) => {
    const type = typeOf(entry);
    return type === undefined || before.some((each) => jsonEqual(each, entry)) ? [] : [type];
  });
}

/**
 * The status to publish: the wanted status, and the conditions of other controllers, unchanged and at their positions.
 * A condition that is owned and not wanted any more is removed.
 * @param current the status on the object.
 * @param owned the types that the controller owns in addition to those in `wanted`.
 */
export function withForeignConditions(current: unknown, wanted: JsonObject, owned: ReadonlySet<string>): JsonObject {
  const entries = conditionEntries(wanted);
  // The API server refuses a value that is not a list.
  if (wanted.conditions !== undefined && entries === undefined) return wanted;
  const own = new Set([...owned, ...conditionTypes(wanted)]);
  const merged = [...(entries ?? [])];
  let hasForeign = false;
  for (const [index, entry] of (conditionEntries(current) ?? []).entries()) {
    const type = typeOf(entry);
    if (type === undefined || own.has(type)) continue;
    merged.splice(Math.min(index, merged.length), 0, entry);
    hasForeign = true;
  }
  return hasForeign ? { ...wanted, conditions: merged } : wanted;
}
