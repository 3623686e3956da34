import type { JsonObject, JsonValue } from '../../core/kube-object.ts';
import { kindId, type ResourceType, Secrets } from '../../core/resource-type.ts';

/**
 * Converts a Secret's `stringData` to `data`. The API server stores it as `data` and never returns `stringData`. So a
 * `stringData` in a request cannot be compared with anything, and an apply that owns it removes no key of `data`
 * (R-1.32).
 */
export function withoutStringData<Content extends { [field: string]: unknown }>(
  type: ResourceType,
  content: Content,
): Content {
  const { stringData, ...rest } = content;
  if (kindId(type) !== kindId(Secrets) || stringData === undefined) return content;
  const entries = Object.entries((stringData ?? {}) as JsonObject).filter(([, value]) => value !== null);
  // The API server refuses it, with a message that gives the reason.
  if (!entries.every(([, value]) => typeof value === 'string')) return content;
  if (entries.length === 0) return rest as unknown as Content;
  const data = { ...(rest.data as JsonObject | null | undefined), ...Object.fromEntries(entries.map(encoded)) };
  return { ...rest, data } as unknown as Content;
}

function encoded([key, value]: [string, JsonValue]): [string, string] {
  return [key, Buffer.from(String(value)).toString('base64')];
}
