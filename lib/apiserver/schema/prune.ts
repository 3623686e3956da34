import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { SchemaNode } from './node.ts';

const META_FIELDS = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Removes, in place, the members that the structure does not declare, and returns their sorted paths. The type and
 * object metadata of whole objects stay. Everything below x-kubernetes-preserve-unknown-fields stays too.
 */
export function prune(object: JsonObject, node: SchemaNode): readonly string[] {
  const removed: string[] = [];
  walk(object, node, '', (parent, name, path) => {
    delete parent[name];
    removed.push(path);
  });
  return removed.sort();
}

/** The sorted paths that pruning would remove. The object is not changed. */
export function unknownFields(object: JsonObject, node: SchemaNode): string[] {
  const unknown: string[] = [];
  walk(object, node, '', (_parent, _name, path) => unknown.push(path));
  return unknown.sort();
}

type OnUnknown = (parent: JsonObject, name: string, path: string) => void;

function walk(value: JsonValue, node: SchemaNode | undefined, path: string, onUnknown: OnUnknown): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      if (typeof item === 'object') walk(item, node?.items ?? inherited(node), `${path}[${index}]`, onUnknown);
    });
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (node?.embedded === true && META_FIELDS.has(name)) continue;
    const member = value[name] ?? null;
    const below = node?.properties.get(name) ?? node?.values;
    if (below !== undefined) {
      if (typeof member === 'object') walk(member, below, joined(path, name), onUnknown);
    } else if (node?.preserveUnknown !== true) {
      onUnknown(value, name, joined(path, name));
    }
  }
}

/** The node for the items of a list that declares none. Only an untyped, preserved value has such lists. */
function inherited(node: SchemaNode | undefined): SchemaNode | undefined {
  return node?.preserveUnknown === true ? node : undefined;
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
