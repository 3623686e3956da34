import type { JsonObject } from '../../core/kube-object.ts';
import { ownField } from '../../core/own-field.ts';
import { descend, isTree } from './field-steps.ts';

/**
 * The part of an object that a write determines: the fields of the write, and the fields that its manager owns. Left
 * out are fields of others, and elements of others in lists whose elements have their own owners. An empty object
 * counts as absent.
 * @param wanted the content of the write at this path.
 * @param fields the manager's `fieldsV1` trees at this path.
 */
export function ownedState(actual: unknown, wanted: unknown, fields: readonly JsonObject[]): unknown {
  if (typeof actual !== 'object' || actual === null) return actual;
  const steps = new Set(fields.flatMap((tree) => Object.keys(tree)).filter((step) => step !== '.'));
  if (Array.isArray(actual)) return steps.size === 0 ? actual : stateAt(actual, wanted, fields, steps);
  if (typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted))
    for (const key of Object.keys(wanted)) steps.add(`f:${key}`);
  else if (steps.size === 0) return actual;
  return stateAt(actual, wanted, fields, steps);
}

function stateAt(actual: object, wanted: unknown, fields: readonly JsonObject[], steps: ReadonlySet<string>): unknown {
  const state: Record<string, unknown> = {};
  for (const step of steps) {
    const below = fields.map((tree) => tree[step]).filter(isTree);
    const part = ownedState(descend(actual, step), descend(wanted, step), below);
    if (part !== undefined) state[step] = part;
  }
  return Object.keys(state).length === 0 ? undefined : state;
}

/**
 * Whether every field of a write exists in some form: as it was sent, or as the API server or an admission webhook
 * changed it. If not, the API server dropped a field, as it does with fields that a schema does not know yet.
 */
export function isTakenUp(actual: unknown, wanted: unknown): boolean {
  if (saysNothing(wanted)) return true;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual)) return false;
    return wanted.every((item, index) => isTakenUp(actual[index], item) || actual.some((any) => isTakenUp(any, item)));
  }
  if (typeof wanted !== 'object' || wanted === null) return actual !== undefined && actual !== null;
  return Object.entries(wanted).every(([key, value]) => isTakenUp(ownField(actual, key), value));
}

/** Null, and the values that the API server leaves out of many fields: empty strings, lists and maps, zero, false. */
export function saysNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
