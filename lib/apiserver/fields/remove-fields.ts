import { define, isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { SchemaNode } from '../schema/node.ts';
import { childSet, type FieldSet, hasElement, isEmpty } from './field-set.ts';
import { childNode, isLeaf, itemNode } from './owned-fields.ts';
import { itemElement, memberElement } from './path-element.ts';

/**
 * The object without the fields of a set. A list or map that becomes empty is set to null and does not become absent,
 * because it is still a field that may have an owner.
 */
export function removeFields(object: JsonObject, fields: FieldSet, node: SchemaNode): JsonObject {
  const rest = without(object, fields, node);
  return isObject(rest) ? rest : {};
}

function without(value: JsonValue, fields: FieldSet, node: SchemaNode): JsonValue {
  if (isLeaf(value, node) || isEmpty(fields)) return value;
  if (Array.isArray(value)) {
    const rest = value.flatMap((item) => {
      const element = itemElement(item, node);
      if (typeof element !== 'string') return [item];
      return hasElement(fields, element) ? [] : [without(item, childSet(fields, element), itemNode(node))];
    });
    return rest.length === 0 ? null : rest;
  }
  if (!isObject(value)) return value;
  const rest: JsonObject = {};
  for (const name of Object.keys(value)) {
    const element = memberElement(name);
    if (hasElement(fields, element)) continue;
    rest[name] = without(value[name] ?? null, childSet(fields, element), childNode(node, name));
  }
  return Object.keys(rest).length === 0 ? null : rest;
}

/** The object without its nulls, as if it had been decoded into a declared type. */
export function withoutNulls(object: JsonObject): JsonObject {
  const rest: JsonObject = {};
  for (const name of Object.keys(object)) {
    const value = object[name] ?? null;
    if (value !== null) define(rest, name, isObject(value) ? withoutNulls(value) : value);
  }
  return rest;
}
