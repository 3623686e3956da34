import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { SchemaNode } from '../schema/node.ts';
import { childSet, type FieldSet, hasElement, isEmpty } from './field-set.ts';
import { childNode, isLeaf, itemNode } from './owned-fields.ts';
import { itemElement, memberElement } from './path-element.ts';

/** The object without the fields of a set; a list or map from which everything went is gone with it. */
export function removeFields(object: JsonObject, fields: FieldSet, node: SchemaNode): JsonObject {
  const rest = without(object, fields, node);
  return isObject(rest) ? rest : {};
}

function without(value: JsonValue, fields: FieldSet, node: SchemaNode): JsonValue | undefined {
  if (isLeaf(value, node) || isEmpty(fields)) return value;
  if (Array.isArray(value)) {
    const rest = value.flatMap((item) => {
      const element = itemElement(item, node);
      if (typeof element !== 'string') return [item];
      if (hasElement(fields, element)) return [];
      const left = without(item, childSet(fields, element), itemNode(node));
      return left === undefined ? [] : [left];
    });
    return rest.length === 0 && value.length > 0 ? undefined : rest;
  }
  if (!isObject(value)) return value;
  const rest: JsonObject = {};
  for (const name of Object.keys(value)) {
    const element = memberElement(name);
    if (hasElement(fields, element)) continue;
    const left = without(value[name] ?? null, childSet(fields, element), childNode(node, name));
    if (left !== undefined) rest[name] = left;
  }
  return Object.keys(rest).length === 0 && Object.keys(value).length > 0 ? undefined : rest;
}
