import { type SchemaNode, schemaNode, UNTYPED } from '../../schema/node.ts';

export type Fields = Readonly<Record<string, SchemaNode>>;

/**
 * A struct. Only fields that hold more than a scalar are named. Scalars merge in the same way whether they are declared
 * or not, so the others need no declaration.
 */
export function struct(fields: Fields): SchemaNode {
  return schemaNode({ type: 'object', properties: new Map(Object.entries(fields)), preserveUnknown: true });
}

/** The node of a field that every object of the kind has, even when nobody set it. */
export function implicit(node: SchemaNode): SchemaNode {
  return { ...node, implicit: true };
}

/** A struct or map that merges as a whole (`+structType=atomic`, `+mapType=atomic`). */
export const atomic: SchemaNode = schemaNode({ type: 'object', mapType: 'atomic', preserveUnknown: true });

/** A map that merges as a whole. */
export const atomicMap: SchemaNode = schemaNode({ type: 'object', mapType: 'atomic', values: UNTYPED });

/** A map that merges key by key. */
export const map: SchemaNode = schemaNode({ type: 'object', values: UNTYPED });

/** A list that merges as a whole. */
export const list: SchemaNode = schemaNode({ type: 'array', items: UNTYPED });

/** A list that merges as a set of scalars. */
export const set: SchemaNode = schemaNode({ type: 'array', items: UNTYPED, listType: 'set' });

/** A list that merges item by item. Strategic merge patches identify an item by the first key only. */
export function listMap(listKeys: readonly string[], items: SchemaNode = UNTYPED): SchemaNode {
  return schemaNode({ type: 'array', items, listType: 'map', listKeys });
}

/** A list key with a default: an item without the key counts as the item with the default. */
export function keyDefault(value: string): SchemaNode {
  return schemaNode({ type: 'string', default: value });
}

export const conditions: SchemaNode = listMap(['type'], struct({}));
