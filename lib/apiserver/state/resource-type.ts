import type { FieldIssue, GroupResource } from '../api-error.ts';
import type { JsonObject } from '../json.ts';
import type { SchemaNode } from '../schema/node.ts';
import type { Column } from './column.ts';

/** One served or stored version of a resource type. A changed CRD brings new version objects, so identity tells a new shape. */
export interface TypeVersion {
  readonly name: string;
  /** `group/version`, or `v1` for the core group. */
  readonly apiVersion: string;
  readonly served: boolean;
  readonly columns: readonly Column[];
  /** Brings a stored object into this version's form; absent where only `apiVersion` differs. Never changes its argument. */
  readonly fromStorage?: (stored: JsonObject) => JsonObject;
  /** The way back. Never changes its argument. */
  readonly toStorage?: (object: JsonObject) => JsonObject;
  /** Brings a decoded object into the shape of the version's schema, in place: unknown fields pruned, defaults applied. */
  readonly shape?: (object: JsonObject) => void;
  /** What is wrong with the JSON types of an object, in the words of Go's decoder, if anything. */
  readonly decodeFault?: (object: JsonObject) => string | undefined;
  /** Paths of the fields that `shape` would prune. */
  readonly unknownFields?: (object: JsonObject) => readonly string[];
  /** The structure of the kind, for server-side apply and field management. */
  readonly node: SchemaNode;
  /** The OpenAPI v3 schema published for the version. */
  readonly openApi?: JsonObject;
  /** Subresources that have a kind of their own, by name. */
  readonly others?: ReadonlyMap<string, OtherSubresource>;
  /** Sent as a Warning header with every answer, when the version is deprecated. */
  readonly warning?: string;
}

export type Scope = 'Namespaced' | 'Cluster';

export type Subresource = '' | 'status' | 'finalize' | 'scale';

/** A subresource with a kind of its own, as the scale of a Deployment. */
export interface OtherSubresource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Those that it is asked with; others are refused. */
  readonly verbs: readonly string[];
  /** Of a scale: where the kind keeps what it shows. */
  readonly scale?: ScalePaths;
}

/** Where a kind keeps what a Scale shows. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** The label selector of the replicas, as text; empty where the kind has none. */
  readonly selectorOf: (object: JsonObject) => string;
}

/** The objects of the store, for admission. */
export interface PresentObjects {
  get(collection: string, key: string): { readonly object: JsonObject } | undefined;
}

/** How a name is judged: a DNS subdomain (most kinds), a DNS label, or anything that is safe in a path. */
export type NameRule = 'subdomain' | 'label' | 'label1035' | 'path';

/** What a kind does at writes, beyond what holds for every object. */
export interface Strategy {
  readonly names: NameRule;
  /** True when a PUT without resourceVersion overwrites whatever is there. */
  readonly unconditionalUpdate: boolean;
  /** Whether objects carry `metadata.generation`. */
  readonly generation: boolean;
  /** Whether main-endpoint writes leave `status` alone. */
  readonly statusSubresource: boolean;
  /** True where a held deletion sets deletionTimestamp alone, without grace period and new generation. */
  readonly marksDeletionOnly?: true;
  /** Refuses an update that depends on other objects, by an ApiError: what admission does. */
  admitUpdate?(object: JsonObject, old: JsonObject, present: PresentObjects): void;
  /** Completes or resets fields of a new object, in place. */
  prepareForCreate?(object: JsonObject, version: TypeVersion): void;
  /** Carries over what this write may not change, in place. Never changes `old`. */
  prepareForUpdate?(object: JsonObject, old: JsonObject, subresource: Subresource): void;
  /** Whether the write counts as a change of desired state; by default any change outside metadata and status. */
  changesGeneration?(object: JsonObject, old: JsonObject): boolean;
  validate?(object: JsonObject, version: TypeVersion): readonly FieldIssue[];
  validateUpdate?(
    object: JsonObject,
    old: JsonObject,
    subresource: Subresource,
    version: TypeVersion,
  ): readonly FieldIssue[];
  /** Whether anything but finalizers holds an object under deletion: the content of a namespace. */
  retains?(object: JsonObject): boolean;
  /** Marks an object whose deletion begins, in place. `now` is the time as the API writes it. */
  prepareForDeletion?(object: JsonObject, now: string): void;
  /** Seconds of grace that a deletion gets, or undefined when the kind knows no graceful deletion. */
  graceSeconds?(object: JsonObject, requested: number | undefined): number | undefined;
}

export interface ResourceType extends GroupResource {
  readonly group: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: Scope;
  /** In order of preference. */
  readonly versions: readonly TypeVersion[];
  readonly storageVersion: TypeVersion;
  readonly subresources: ReadonlySet<Subresource>;
  readonly strategy: Strategy;
  /** The store's name of the collection; two views of one store (events) share it. */
  readonly collection: string;
  /** True for types defined by a CustomResourceDefinition. */
  readonly custom: boolean;
  /** Field labels that field selectors may use in addition to metadata.name and metadata.namespace, with their paths. */
  readonly selectableFields: ReadonlyMap<string, readonly string[]>;
  /** True while the defining CustomResourceDefinition is being deleted: nothing new is created. */
  readonly terminating: boolean;
  /** True for types whose objects are answered and not stored: their only verb is create. */
  readonly answersOnly?: true;
}
