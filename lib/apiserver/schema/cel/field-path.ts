import { isObject, type JsonObject, objectAt } from '../../json.ts';

const SEGMENT = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;

/**
 * A rule's fieldPath (`.spec.port`, `['x.y']`) in the form that is appended to the path of the rule's schema; undefined
 * when the schema has no such field. Only members of objects and maps can be named.
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
