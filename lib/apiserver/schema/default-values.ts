import { clone, define, isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { SchemaNode } from './node.ts';

/**
 * Fills in defaults, in place, as Kubernetes does on every read and write. When null is not allowed, a null is replaced
 * by the default, or removed if there is no default. This happens before validation.
 */
export function applyDefaults(object: JsonObject, node: SchemaNode): void {
  dropNulls(object, node);
  fillDefaults(object, node);
}

/**
 * Fills in defaults, in place, and keeps nulls. For the result of server-side apply: the real server leaves its nulls
 * to validation.
 */
export function fillDefaults(value: JsonValue, node: SchemaNode): void {
  if (Array.isArray(value)) {
    const items = node.items;
    if (items === undefined) return;
    value.forEach((item, index) => {
      if (item === null && !items.nullable && items.default !== undefined) value[index] = clone(items.default);
      const filled = value[index];
      if (typeof filled === 'object' && filled !== null) fillDefaults(filled, items);
    });
    return;
  }
  if (!isObject(value)) return;
  for (const [name, property] of node.properties) {
    if (property.default === undefined) continue;
    const absent = !Object.hasOwn(value, name) || (value[name] === null && !property.nullable);
    if (absent) define(value, name, clone(property.default));
  }
  for (const name of Object.keys(value)) {
    const member = node.properties.get(name) ?? node.values;
    if (member === undefined) continue;
    if (value[name] === null && !member.nullable && member.default !== undefined) {
      define(value, name, clone(member.default));
    }
    const filled = value[name];
    if (typeof filled === 'object' && filled !== null) fillDefaults(filled, member);
  }
}

function dropNulls(value: JsonValue, node: SchemaNode | undefined): void {
  if (node === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') dropNulls(item, node.items);
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    const member = node.properties.get(name) ?? node.values;
    const current = value[name] ?? null;
    if (current === null && member !== undefined && !member.nullable && member.default === undefined) {
      delete value[name];
    } else if (typeof current === 'object') {
      dropNulls(current, member);
    }
  }
}
