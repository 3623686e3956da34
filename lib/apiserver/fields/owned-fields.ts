import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { memberNode, type SchemaNode, UNTYPED } from '../schema/node.ts';
import { asMember, EMPTY, type FieldSet } from './field-set.ts';
import { itemElement, memberElement, memberName } from './path-element.ts';

/** Whether a value is one leaf of ownership: a scalar, or a list or map that is owned as a whole. */
export function isLeaf(value: JsonValue, node: SchemaNode): boolean {
  if (Array.isArray(value)) return node.listType === 'atomic';
  if (isObject(value)) return node.mapType === 'atomic';
  // A null stands for an empty list or map where one is declared.
  if (value === null && node.type === 'object') return node.mapType === 'atomic';
  if (value === null && node.type === 'array') return node.listType === 'atomic';
  return !(value === null && node.type === 'any');
}

export function childNode(node: SchemaNode, name: string): SchemaNode {
  return memberNode(node, name) ?? UNTYPED;
}

export function itemNode(node: SchemaNode): SchemaNode {
  return node.items ?? UNTYPED;
}

/** The fields that an applied configuration claims: all leaves, list items, and the keys of maps. */
export function ownedFields(value: JsonObject, node: SchemaNode): FieldSet {
  return contentOf(value, node) ?? EMPTY;
}

function contentOf(value: JsonValue, node: SchemaNode): FieldSet | undefined {
  if (isLeaf(value, node)) return asMember(undefined);
  const set: FieldSet = {};
  if (Array.isArray(value)) {
    for (const item of value) {
      const element = itemElement(item, node);
      // Two items with the same key are owned together. The fields inside them are not claimed.
      if (typeof element !== 'string') continue;
      set[element] = Object.hasOwn(set, element) ? asMember(undefined) : asMember(contentOf(item, itemNode(node)));
    }
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const member = value[name] ?? null;
      const content = contentOf(member, childNode(node, name));
      const bare = member === null || (isObject(member) && Object.keys(member).length === 0);
      const field = bare || !node.properties.has(name) ? asMember(content) : content;
      if (field !== undefined) set[memberElement(name)] = field;
    }
  }
  return Object.keys(set).length === 0 ? undefined : set;
}

/** An object of the kind in which nobody has set a field. */
export function blankObject(node: SchemaNode): JsonObject {
  const blank: JsonObject = {};
  for (const [name, field] of node.properties) {
    if (field.implicit) blank[name] = field.type === 'array' ? null : blankObject(field);
  }
  return blank;
}

/** Adds the declared fields of which the set has only fields below them. */
export function withNamedFields(set: FieldSet, node: SchemaNode): FieldSet {
  const result: FieldSet = {};
  for (const element of Object.keys(set)) {
    if (element === '.') {
      result[element] = {};
      continue;
    }
    const field = set[element];
    if (!isObject(field)) continue;
    const name = memberName(element);
    const inner = name === undefined ? itemNode(node) : childNode(node, name);
    const deeper = withNamedFields(field, inner);
    result[element] = name !== undefined && node.properties.has(name) ? asMember(deeper) : deeper;
  }
  return result;
}
