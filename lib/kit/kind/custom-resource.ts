import type { DesiredObject, JsonObject, JsonValue } from '../../core/kube-object.ts';

/** A version of a kind, with its schemas converted. */
export interface ConvertedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly spec: JsonObject;
  /** The defaults of an empty spec; undefined when an object without a spec is invalid. */
  readonly emptySpec: JsonObject | undefined;
  /** The author's own fields. */
  readonly status: JsonObject;
}

/** The parts of a CustomResourceDefinition. */
export interface CustomResource {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly columns: readonly JsonObject[];
  readonly validations: readonly JsonObject[];
  readonly versions: readonly ConvertedVersion[];
}

/**
 * The CustomResourceDefinition (apiextensions.k8s.io/v1). It leaves out every field that has its default value: the API
 * server would drop it, and a tool that compares would always see a difference.
 */
export function customResourceDefinition(resource: CustomResource): DesiredObject {
  const { group, kind, plural, shortNames, scope } = resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        plural,
        singular: kind.toLowerCase(),
        kind,
        listKind: `${kind}List`,
        ...(shortNames.length > 0 && { shortNames }),
      },
      versions: resource.versions.map((version) => versionOf(version, resource)),
    },
  };
}

function versionOf(version: ConvertedVersion, { columns, validations }: CustomResource): JsonObject {
  const { name, served, storage, emptySpec } = version;
  const rules = [...rulesOf(version.spec), ...validations];
  const spec = { ...version.spec, ...(rules.length > 0 && { 'x-kubernetes-validations': rules }) };
  // Without this default, a missing spec would never get the defaults of its fields. The API server checks the rules on
  // this default without filling it in, so it must contain the defaults of its fields.
  const filled = emptySpec !== undefined && hasDefault(spec) ? { ...spec, default: emptySpec } : spec;
  return {
    name,
    served,
    storage,
    subresources: { status: {} },
    additionalPrinterColumns: [...READY_COLUMNS, ...columns, AGE_COLUMN],
    schema: {
      openAPIV3Schema: {
        type: 'object',
        ...(emptySpec === undefined && { required: ['spec'] }),
        properties: {
          apiVersion: { type: 'string' },
          kind: { type: 'string' },
          metadata: { type: 'object' },
          spec: filled,
          status: statusSchema(version.status),
        },
      },
    },
  };
}

/** A new object shows Ready Unknown before its first pass, so that tools which wait for it do wait (kstatus). */
function statusSchema(own: JsonObject): JsonObject {
  return {
    ...own,
    type: 'object',
    default: { observedGeneration: NOT_OBSERVED },
    properties: {
      observedGeneration: {
        type: 'integer',
        format: 'int64',
        description: 'The generation of the spec that this status is about; -1 before the first pass.',
        default: NOT_OBSERVED,
        minimum: NOT_OBSERVED,
      },
      conditions: CONDITIONS,
      ...(own.properties as JsonObject | undefined),
    },
  };
}

const NOT_OBSERVED = -1;

const CONDITIONS: JsonObject = {
  type: 'array',
  description: 'Ready, and Reconciling or Stalled while it is not; and those of the controller.',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  maxItems: 64,
  items: {
    type: 'object',
    required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
    properties: {
      type: { type: 'string', minLength: 1, maxLength: 316 },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
      reason: { type: 'string', minLength: 1, maxLength: 1_024 },
      message: { type: 'string', maxLength: 32_768 },
      lastTransitionTime: { type: 'string', format: 'date-time' },
    },
  },
};

const READY_COLUMNS: readonly JsonObject[] = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
];
const AGE_COLUMN: JsonObject = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

function rulesOf(schema: JsonObject): JsonObject[] {
  return (schema['x-kubernetes-validations'] as JsonObject[] | undefined) ?? [];
}

function hasDefault(schema: JsonValue): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(([key, value]) => key === 'default' || hasDefault(value));
}
