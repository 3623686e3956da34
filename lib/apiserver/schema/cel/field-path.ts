import { isObject, type JsonObject, objectAt } from '../../json.ts';

const SEGMENT = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;

/**
 * A rule's fieldPath (`.spec.port`, `['x.y']`) as it is appended to the path of the rule's schema, or undefined where it
 * names no field of the schema: only members of objects and maps can be named.
 */
export function normalizeFieldPath(path: string, schema: JsonObject): string | undefined {
  let current: JsonObject = schema;
  let normalized = '';
  SEGMENT.lastIndex = 0;
  while (SEGMENT.lastIndex < path.length) {
    const segment = SEGMENT.exec(path);
    if (segment === null) return undefined;
    const name = segment[1] ?? (segment[2] ?? '').replace(/\\(.)/g, '$1');
    const properties = objectAt(current, 'properties');
    const additional = current.additionalProperties;
    const next = properties === undefined ? additional : properties[name];
    if (!isObject(next)) return undefined;
    normalized += properties === undefined ? `[${name}]` : `${normalized === '' ? '' : '.'}${name}`;
    current = next;
  }
  return normalized;
}
