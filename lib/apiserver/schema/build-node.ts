import { isObject, type JsonObject, objectAt, stringAt, stringsAt } from '../json.ts';
import { propertySchemas } from './keywords.ts';
import { type NodeType, type SchemaNode, schemaNode, UNTYPED } from './node.ts';
import { withObjectMeta } from './object-meta.ts';

/** Builds the structure of a structural schema. `root` adds the fields that every object has. */
export function buildNode(schema: JsonObject, root: boolean): SchemaNode {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const properties = new Map(
    propertySchemas(schema, '').map(({ name, schema: property }) => [name, buildNode(property, false)]),
  );
  const items = objectAt(schema, 'items');
  const listType = stringAt(schema, 'x-kubernetes-list-type');
  const node = schemaNode({
    type: typeOf(schema),
    properties,
    values: valuesOf(schema),
    items: items === undefined ? undefined : buildNode(items, false),
    listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
    listKeys: stringsAt(schema, 'x-kubernetes-list-map-keys'),
    mapType: schema['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : 'granular',
    nullable: schema.nullable === true,
    preserveUnknown: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embedded: embedded || root,
    default: schema.default,
  });
  return root || embedded ? withObjectMeta(node) : node;
}

function typeOf(schema: JsonObject): NodeType {
  if (schema['x-kubernetes-int-or-string'] === true) return 'intOrString';
  const type = stringAt(schema, 'type');
  return type === '' ? 'any' : (type as NodeType);
}

function valuesOf(schema: JsonObject): SchemaNode | undefined {
  const additional = schema.additionalProperties;
  if (isObject(additional)) return buildNode(additional, false);
  // `true` has no schema: the members are kept, but the schema does not describe what they contain.
  return additional === true && propertySchemas(schema, '').length === 0
    ? { ...UNTYPED, preserveUnknown: false }
    : undefined;
}
