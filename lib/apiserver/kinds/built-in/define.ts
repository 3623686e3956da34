import { builtinNode } from '../../fields/builtin.ts';
import type { JsonObject } from '../../json.ts';
import type { Column } from '../../state/column.ts';
import type { OtherSubresource, ResourceType, Strategy, Subresource, TypeVersion } from '../../state/resource-type.ts';
import { ageColumn, nameColumn } from '../../table/standard-columns.ts';
import { omitEmpty } from './omit-empty.ts';
import { wideNumberFault } from './wide-numbers.ts';

/** The properties of a built-in kind. A missing property has the usual value. */
export interface BuiltInDefinition {
  readonly group?: string;
  readonly version?: string;
  readonly resource: string;
  readonly kind: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly cluster?: boolean;
  readonly subresources?: readonly Subresource[];
  readonly collection?: string;
  readonly columns?: readonly Column[];
  readonly strategy?: Partial<Strategy>;
  readonly selectableFields?: ReadonlyMap<string, readonly string[]>;
  readonly others?: ReadonlyMap<string, OtherSubresource>;
  readonly conversion?: Pick<TypeVersion, 'fromStorage' | 'toStorage'>;
  /** The fields that an object may have in addition to apiVersion, kind and metadata; others are pruned. */
  readonly fields: readonly string[];
  /** Whether empty values are stored as they were sent. */
  readonly keepsEmpty?: true;
  readonly decodeFault?: (object: JsonObject) => string | undefined;
  /** Applies the kind's defaults, in place. */
  readonly shape?: (object: JsonObject) => void;
}

/** Creates the resource type of a built-in kind with one version. */
export function builtIn(definition: BuiltInDefinition): ResourceType {
  const { group = '', version = 'v1', resource, kind, subresources = [] } = definition;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const known = new Set(['apiVersion', 'kind', 'metadata', ...definition.fields]);
  const unknownFields = (object: JsonObject): string[] => Object.keys(object).filter((field) => !known.has(field));
  const only: TypeVersion = {
    name: version,
    apiVersion,
    served: true,
    columns: definition.columns ?? [nameColumn, ageColumn],
    node: builtinNode(apiVersion, kind),
    ...definition.conversion,
    ...(definition.others === undefined ? {} : { others: definition.others }),
    decodeFault: (object) =>
      definition.decodeFault?.(object) ?? (definition.keepsEmpty ? undefined : wideNumberFault(kind, object)),
    unknownFields,
    shape(object) {
      for (const field of unknownFields(object)) delete object[field];
      if (definition.keepsEmpty !== true) omitEmpty(object, only.node);
      definition.shape?.(object);
    },
  };
  return {
    group,
    resource,
    kind,
    singular: definition.singular ?? kind.toLowerCase(),
    listKind: `${kind}List`,
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
    scope: definition.cluster === true ? 'Cluster' : 'Namespaced',
    versions: [only],
    storageVersion: only,
    subresources: new Set<Subresource>(subresources),
    strategy: {
      names: 'subdomain',
      unconditionalUpdate: true,
      generation: false,
      statusSubresource: subresources.includes('status'),
      ...definition.strategy,
    },
    collection: definition.collection ?? (group === '' ? resource : `${resource}.${group}`),
    custom: false,
    selectableFields: definition.selectableFields ?? new Map(),
    terminating: false,
  };
}
