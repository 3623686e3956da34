import type { JsonValue } from '../json.ts';

export type NodeType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'intOrString' | 'any';

/**
 * The structure of a value: which fields exist and how lists and maps merge. Pruning, defaulting and server-side apply
 * use it. Validation uses other types. An `any` node has no declared structure.
 */
export interface SchemaNode {
  readonly type: NodeType;
  /** The declared properties; empty for maps, and for values without a declared structure. */
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** The node of every undeclared member (additionalProperties), if undeclared members are allowed. */
  readonly values: SchemaNode | undefined;
  readonly items: SchemaNode | undefined;
  /** How a list merges: as a whole, as a set of scalars, or item by item under the keys. */
  readonly listType: 'atomic' | 'set' | 'map';
  readonly listKeys: readonly string[];
  /** Whether a map or struct merges member by member or as a whole. */
  readonly mapType: 'granular' | 'atomic';
  readonly nullable: boolean;
  readonly preserveUnknown: boolean;
  /** Whether the value is a whole Kubernetes object inside another (x-kubernetes-embedded-resource). */
  readonly embedded: boolean;
  readonly default: JsonValue | undefined;
  /**
   * Whether a field of this node exists in an object in which nobody set it, as an empty struct or a null list. In Go
   * this is so for structs that are not pointers. A create then fills the field and does not own it.
   */
  readonly implicit: boolean;
}

const BARE: SchemaNode = {
  type: 'any',
  properties: new Map(),
  values: undefined,
  items: undefined,
  listType: 'atomic',
  listKeys: [],
  mapType: 'granular',
  nullable: false,
  preserveUnknown: false,
  embedded: false,
  default: undefined,
  implicit: false,
};

/** A node with the given parts. Absent parts get the defaults of a structural schema. */
export function schemaNode(parts: Partial<SchemaNode> & Pick<SchemaNode, 'type'>): SchemaNode {
  return { ...BARE, ...parts };
}

/** The structure of a value without a schema: members merge one by one, lists as a whole. */
export const UNTYPED: SchemaNode = schemaNode({ type: 'any', preserveUnknown: true, nullable: true });

/** The node of a member, or undefined when the structure does not declare it. */
export function memberNode(node: SchemaNode, name: string): SchemaNode | undefined {
  return node.properties.get(name) ?? node.values ?? (node.preserveUnknown ? UNTYPED : undefined);
}
