import type { z } from 'zod';
import { FaultsError } from '../../core/errors.ts';
import type { DesiredObject, JsonObject } from '../../core/kube-object.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import { convertSchema } from '../schema/convert-schema.ts';
import { fieldsOf, nameFaults } from '../schema/rule-names.ts';
import { isFields, valueAt } from '../value-at.ts';
import { type ConvertedVersion, customResourceDefinition } from './custom-resource.ts';
import { definitionFaults, pluralOf } from './definition-faults.ts';
import type { KindObject } from './kind-object.ts';
import type { TypedKind } from './typed-kind.ts';

/** A column of `kubectl get`. Ready, Reason and Age are added. */
export interface KindColumn {
  readonly name: string;
  /** Such as `.spec.host`. */
  readonly jsonPath: string;
  /** Default `string`. */
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** 1 or more is shown only by `kubectl get -o wide`. Default 0. */
  readonly priority?: number;
}

/** A rule in CEL that the API server checks. `self` is the spec, and `oldSelf` the spec before. */
export interface KindValidation {
  readonly rule: string;
  readonly message: string;
}

/** Another version of a kind. The API server serves the stored object unchanged, so its fields must be compatible. */
export interface KindVersion {
  readonly name: string;
  readonly spec: z.ZodType;
  readonly status?: z.ZodType;
  /** Default true. */
  readonly served?: boolean;
}

/** What `defineKind` makes a kind of. */
export interface KindDefinition<Spec extends z.ZodType, Status extends z.ZodType, Name extends string = string> {
  /** An API group with a dot, such as `example.com`. */
  readonly group: string;
  /** The version that is stored, such as `v1` or `v1alpha1`. */
  readonly version: string;
  /** CamelCase and singular, such as `Website`. */
  readonly kind: Name;
  /** An object schema. Each rule of it must be one that the API server can check too. */
  readonly spec: Spec;
  /** An object schema of the controller's own status fields, without conditions and observedGeneration. */
  readonly status?: Status;
  /** Default: the kind in lower case, with an `s`, `es` or `ies`. */
  readonly plural?: string;
  readonly shortNames?: readonly string[];
  /** Default `Namespaced`. */
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly columns?: readonly KindColumn[];
  readonly validations?: readonly KindValidation[];
  /** Versions in addition to `version`. */
  readonly versions?: readonly KindVersion[];
}

/** A kind by one schema: usable wherever a `ResourceType` is. */
export interface Kind<Spec, Status, Name extends string = string> extends TypedKind<KindObject<Spec, Status>, Name> {
  /** Its CustomResourceDefinition. */
  readonly definition: DesiredObject;
  /** What the conversion of the schema changed without making it weaker, each with its path. */
  readonly notes: readonly string[];
  readonly spec: z.ZodType<Spec>;
  readonly status: z.ZodType<Status> | undefined;
}

/**
 * When an object larger than this is applied from a file, it comes close to the largest object that the API server
 * stores (1.5 MiB).
 */
const LARGE_BYTES = 200_000;
/** The API server stores at most 1.5 MiB for an object; this leaves room for the fields that it adds. */
const MAX_BYTES = 1_000_000;

/** Status fields that evenkeel writes. */
const RESERVED_STATUS = ['conditions', 'observedGeneration'] as const;

/**
 * Defines a kind by one schema: the types of its objects, its CustomResourceDefinition and its validation.
 * @throws FaultsError INVALID_KIND, with a line for each construct of a schema that the API server would check less
 * strictly: its path, and what to write instead.
 */
export function defineKind<
  Spec extends z.ZodType,
  Status extends z.ZodType = z.ZodType<Record<never, never>>,
  Name extends string = string,
>(definition: KindDefinition<Spec, Status, Name>): Kind<z.output<Spec>, z.output<Status>, Name> {
  if (!isFields(definition)) {
    throw new FaultsError('INVALID_KIND', ['definition: must be an object with group, version, kind and spec.']);
  }
  const { group, version, kind, scope = 'Namespaced', plural = pluralOf(String(kind)) } = definition;
  const faults = definitionFaults({ ...definition });
  const notes: string[] = [];
  const stored = { name: version, spec: definition.spec, ...(definition.status && { status: definition.status }) };
  const versions = [stored, ...otherVersions(definition.versions)].map((each, index) =>
    convertVersion(each, index === 0, faults, notes),
  );
  // The rules of the kind are rules of the spec of each version.
  for (const rule of Array.isArray(definition.validations) ? definition.validations : []) {
    const found = versions.flatMap((each) => nameFaults(rule, fieldsOf(each.spec), 'validations'));
    faults.push(...new Set(found));
  }
  if (faults.length > 0)
    throw new FaultsError(
      'INVALID_KIND',
      faults.map((fault) => `kind ${String(kind)}: ${fault}`),
    );
  const crd = customResourceDefinition({
    group,
    kind,
    plural,
    scope,
    shortNames: definition.shortNames ?? [],
    columns: (definition.columns ?? []).map(({ name, jsonPath, type = 'string', priority = 0 }) => ({
      name,
      type,
      ...(priority !== 0 && { priority }),
      jsonPath,
    })),
    validations: (definition.validations ?? []).map((validation) => ({ ...validation })),
    versions,
  });
  const bytes = Buffer.byteLength(JSON.stringify(crd));
  if (bytes > MAX_BYTES) {
    const what = `its CustomResourceDefinition has ${bytes} bytes; the API server stores at most ${MAX_BYTES}`;
    throw new FaultsError('INVALID_KIND', [`kind ${kind}: ${what}. Shorten its enums and descriptions.`]);
  }
  if (bytes > LARGE_BYTES) notes.push(`its CustomResourceDefinition has ${bytes} bytes; shorten its descriptions.`);
  return new DefinedKind({ group, version, plural, kind, namespaced: scope === 'Namespaced' }, crd, notes, definition);
}

/** A value that is not a version is reported as an error of the definition. */
function otherVersions(versions: unknown): KindVersion[] {
  return (Array.isArray(versions) ? versions : []).filter(isFields) as unknown as KindVersion[];
}

function convertVersion(
  { name, spec, status, served = true }: KindVersion,
  storage: boolean,
  faults: string[],
  notes: string[],
): ConvertedVersion {
  const where = storage ? '' : `versions ${name} `;
  const convertedSpec = convertSchema(spec, `${where}spec`, { isStatus: false });
  const convertedStatus =
    status === undefined
      ? { schema: {}, faults: [], notes: [] }
      : convertSchema(status, `${where}status`, { isStatus: true });
  for (const { faults: found, notes: remarks } of [convertedSpec, convertedStatus]) {
    faults.push(...found);
    notes.push(...remarks);
  }
  if (convertedSpec.faults.length === 0 && convertedSpec.schema.type !== 'object') {
    faults.push(`${where}spec: must be an object; use z.object({ ... }).`);
  }
  if (status !== undefined && convertedStatus.faults.length === 0 && convertedStatus.schema.type !== 'object') {
    faults.push(`${where}status: must be an object; use z.object({ ... }).`);
  }
  for (const field of RESERVED_STATUS) {
    if (valueAt(convertedStatus.schema, 'properties', field) !== undefined) {
      faults.push(`${where}status.${field}: evenkeel writes this field; leave it out.`);
    }
  }
  const { data } = convertedSpec.faults.length === 0 ? spec.safeParse({}) : { data: undefined };
  const emptySpec = data === undefined ? undefined : (JSON.parse(JSON.stringify(data)) as JsonObject);
  return { name, served, storage, spec: convertedSpec.schema, emptySpec, status: convertedStatus.schema };
}

/** Only the fields of a `ResourceType` are its own: where a type is stored or compared, the others are no part of it. */
class DefinedKind<Spec, Status, Name extends string> implements Kind<Spec, Status, Name> {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: Name;
  readonly namespaced: boolean;
  readonly #definition: DesiredObject;
  readonly #notes: readonly string[];
  readonly #schemas: { readonly spec: z.ZodType; readonly status?: z.ZodType };

  constructor(
    { group, version, plural, kind, namespaced }: ResourceType & { readonly kind: Name },
    definition: DesiredObject,
    notes: readonly string[],
    schemas: { readonly spec: z.ZodType; readonly status?: z.ZodType },
  ) {
    this.group = group;
    this.version = version;
    this.plural = plural;
    this.kind = kind;
    this.namespaced = namespaced;
    this.#definition = definition;
    this.#notes = notes;
    this.#schemas = schemas;
  }

  get definition(): DesiredObject {
    return this.#definition;
  }

  get notes(): readonly string[] {
    return this.#notes;
  }

  get spec(): z.ZodType<Spec> {
    return this.#schemas.spec as z.ZodType<Spec>;
  }

  get status(): z.ZodType<Status> | undefined {
    return this.#schemas.status as z.ZodType<Status> | undefined;
  }
}
