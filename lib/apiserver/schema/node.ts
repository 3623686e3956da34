import type { JsonValue } from '../json.ts';

export type NodeType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'intOrString' | 'any';

/**
 * The structure of a value: which fields exist and how lists and maps merge. Pruning, defaulting and server-side apply
 * walk it; what a value must satisfy is elsewhere. An `any` node has no declared structure.
 */
export interface SchemaNode {
  readonly type: NodeType;
  /** Declared properties; empty for maps and for what has no declared structure. */
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** The node of every undeclared member (additionalProperties), if undeclared members are permitted. */
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
   * Whether a field of this node is there in an object in which nobody set it, as an empty struct or a null list: so it
   * is with Go structs that are not pointers. A creation then only fills it and does not own it itself.
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

/** A node of the given parts; what is left out has the default of a structural schema. */
export function schemaNode(parts: Partial<SchemaNode> & Pick<SchemaNode, 'type'>): SchemaNode {
  return { ...BARE, ...parts };
}

/** What is known of a value without a schema: members one by one, lists as a whole. */
export const UNTYPED: SchemaNode = schemaNode({ type: 'any', preserveUnknown: true, nullable: true });

/** The node of a member, or undefined when the structure does not declare it. */
export function memberNode(node: SchemaNode, name: string): SchemaNode | undefined {
  return node.properties.get(name) ?? node.values ?? (node.preserveUnknown ? UNTYPED : undefined);
}
