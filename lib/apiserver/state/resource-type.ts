import type { FieldIssue, GroupResource } from '../api-error.ts';
import type { JsonObject } from '../json.ts';
import type { SchemaNode } from '../schema/node.ts';
import type { Column } from './column.ts';

/**
 * One served or stored version of a resource type. A changed CRD creates new version objects, so a comparison by
 * identity detects a new schema.
 */
export interface TypeVersion {
  readonly name: string;
  /** `group/version`, or `v1` for the core group. */
  readonly apiVersion: string;
  readonly served: boolean;
  readonly columns: readonly Column[];
  /**
   * Converts a stored object to this version; absent when only `apiVersion` is different. Never changes its argument.
   */
  readonly fromStorage?: (stored: JsonObject) => JsonObject;
  /** Converts an object of this version to the stored form. Never changes its argument. */
  readonly toStorage?: (object: JsonObject) => JsonObject;
  /** Applies the version's schema to a decoded object, in place: removes unknown fields and fills in defaults. */
  readonly shape?: (object: JsonObject) => void;
  /** The error about the JSON types of an object, with the text of Go's decoder; undefined when there is none. */
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

/** A subresource with a kind of its own, such as the scale of a Deployment. */
export interface OtherSubresource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The verbs that it serves; others are refused. */
  readonly verbs: readonly string[];
  /** For a scale: the fields of the object that it shows. */
  readonly scale?: ScalePaths;
}

/** The fields of an object that a Scale shows. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** The label selector of the replicas, as text; empty when the kind has none. */
  readonly selectorOf: (object: JsonObject) => string;
}

/** The objects of the store, for admission. */
export interface PresentObjects {
  get(collection: string, key: string): { readonly object: JsonObject } | undefined;
}

/** The rule for names: a DNS subdomain (most kinds), a DNS label, or any name that is safe in a path. */
export type NameRule = 'subdomain' | 'label' | 'label1035' | 'path';

/** What is special about writes of a kind. */
export interface Strategy {
  readonly names: NameRule;
  /** True when a PUT without resourceVersion overwrites the present object in any case. */
  readonly unconditionalUpdate: boolean;
  /** Whether objects carry `metadata.generation`. */
  readonly generation: boolean;
  /** Whether writes through the main endpoint do not change `status`. */
  readonly statusSubresource: boolean;
  /** True when a deletion that must wait sets only deletionTimestamp, without a grace period and a new generation. */
  readonly marksDeletionOnly?: true;
  /** Refuses an update because of other objects, by an ApiError, as an admission does. */
  admitUpdate?(object: JsonObject, old: JsonObject, present: PresentObjects): void;
  /** Adds or resets fields of a new object, in place. */
  prepareForCreate?(object: JsonObject, version: TypeVersion): void;
  /** Copies the fields that this write may not change from `old`, in place. Never changes `old`. */
  prepareForUpdate?(object: JsonObject, old: JsonObject, subresource: Subresource): void;
  /** Whether the write counts as a change of the desired state; by default, any change outside metadata and status. */
  changesGeneration?(object: JsonObject, old: JsonObject): boolean;
  validate?(object: JsonObject, version: TypeVersion): readonly FieldIssue[];
  validateUpdate?(
    object: JsonObject,
    old: JsonObject,
    subresource: Subresource,
    version: TypeVersion,
  ): readonly FieldIssue[];
  /** Whether something other than finalizers delays the deletion of the object: the content of a namespace. */
  retains?(object: JsonObject): boolean;
  /** Changes an object when its deletion starts, in place. `now` is the time in the form of the API. */
  prepareForDeletion?(object: JsonObject, now: string): void;
  /** The grace period of a deletion, in seconds; undefined when the kind has no graceful deletion. */
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
  /** The name of the collection in the store. The two views of events share one collection. */
  readonly collection: string;
  /** True for types defined by a CustomResourceDefinition. */
  readonly custom: boolean;
  /**
   * The field labels that field selectors may use, with their paths. metadata.name and metadata.namespace are always
   * allowed.
   */
  readonly selectableFields: ReadonlyMap<string, readonly string[]>;
  /** True while the CustomResourceDefinition of the type is being deleted: creates are refused. */
  readonly terminating: boolean;
  /** True for types whose objects are answered and not stored. Their only verb is create. */
  readonly answersOnly?: true;
}
