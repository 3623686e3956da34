import type { JsonObject, JsonValue } from '../../core/kube-object.ts';
import { kindId, type ResourceType, Secrets } from '../../core/resource-type.ts';

/**
 * A Secret's `stringData` as `data`. The API server keeps it there and never returns it: what is sent as `stringData` can
 * be compared with nothing, and an apply that owns it prunes no key of `data`.
 */
export function withoutStringData<Content extends { [field: string]: unknown }>(
  type: ResourceType,
  content: Content,
): Content {
  const { stringData, ...rest } = content;
  if (kindId(type) !== kindId(Secrets) || stringData === undefined) return content;
  const entries = Object.entries((stringData ?? {}) as JsonObject).filter(([, value]) => value !== null);
  // The API server refuses it, with a message that says why.
  if (!entries.every(([, value]) => typeof value === 'string')) return content;
  if (entries.length === 0) return rest as unknown as Content;
  const data = { ...(rest.data as JsonObject | null | undefined), ...Object.fromEntries(entries.map(encoded)) };
  return { ...rest, data } as unknown as Content;
}

function encoded([key, value]: [string, JsonValue]): [string, string] {
  return [key, Buffer.from(String(value)).toString('base64')];
}
