import type { JsonObject } from '../../core/kube-object.ts';
import { ownField } from '../../core/own-field.ts';

/**
 * The value at a step of a `fieldsV1` tree: `f:` is a field, `k:` an element of a keyed list, `v:` an element of a set.
 */
export function descend(value: unknown, step: string): unknown {
  if (step.startsWith('f:')) return ownField(value, step.slice(2));
  if (!Array.isArray(value)) return undefined;
  if (step.startsWith('k:')) {
    const keys = parseJson(step.slice(2));
    // Keys may contain values that the server defaulted (a port's protocol): a desired item without them matches.
    return value.find((item) =>
      Object.entries(keys).every(([key, wanted]) => [undefined, wanted].includes(ownField(item, key))),
    );
  }
  if (step.startsWith('v:')) {
    const wanted = step.slice(2);
    return value.find((item) => JSON.stringify(item) === wanted);
  }
  return undefined;
}

function parseJson(text: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(text);
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
}

export function isTree(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}
