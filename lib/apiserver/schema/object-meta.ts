import { type SchemaNode, schemaNode } from './node.ts';

const text = schemaNode({ type: 'string' });
const textMap = schemaNode({ type: 'object', values: text });

const ownerReference = schemaNode({
  type: 'object',
  mapType: 'atomic',
  properties: new Map([
    ['apiVersion', text],
    ['kind', text],
    ['name', text],
    ['uid', text],
    ['controller', schemaNode({ type: 'boolean' })],
    ['blockOwnerDeletion', schemaNode({ type: 'boolean' })],
  ]),
});

/** metav1.ObjectMeta, with the list types of its Go declaration. */
export const objectMetaNode: SchemaNode = schemaNode({
  type: 'object',
  properties: new Map<string, SchemaNode>([
    ['name', text],
    ['generateName', text],
    ['namespace', text],
    ['selfLink', text],
    ['uid', text],
    ['resourceVersion', text],
    ['generation', schemaNode({ type: 'integer' })],
    ['creationTimestamp', schemaNode({ type: 'string', nullable: true })],
    ['deletionTimestamp', schemaNode({ type: 'string', nullable: true })],
    ['deletionGracePeriodSeconds', schemaNode({ type: 'integer' })],
    ['labels', textMap],
    ['annotations', textMap],
    ['finalizers', schemaNode({ type: 'array', items: text, listType: 'set' })],
    ['ownerReferences', schemaNode({ type: 'array', items: ownerReference, listType: 'map', listKeys: ['uid'] })],
    ['managedFields', schemaNode({ type: 'array', items: schemaNode({ type: 'any', preserveUnknown: true }) })],
  ]),
});

/** The node of a whole object: its own properties, and the type and object metadata. */
export function withObjectMeta(node: SchemaNode): SchemaNode {
  const properties = new Map(node.properties);
  properties.set('apiVersion', text);
  properties.set('kind', text);
  properties.set('metadata', objectMetaNode);
  return { ...node, properties };
}
