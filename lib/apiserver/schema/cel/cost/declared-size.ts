import { isObject, type JsonObject, objectAt, stringAt, stringsAt } from '../../../json.ts';
import { propertySchemas } from '../../keywords.ts';
import { fieldNames } from '../escape.ts';

/** The largest request that the real server reads, in bytes. It is the bound of every value that has no other bound. */
const MAX_REQUEST_BYTES = 3 * 1024 * 1024;

/** A keyword that a schema lacks, and the field that it would bound, such as `spec.hosts[*]`. */
export interface MissingBound {
  readonly field: string;
  readonly keyword: 'maxLength' | 'maxItems' | 'maxProperties';
}

/** The largest size of the values of a schema (k8s.io/apiserver, `SchemaDeclType`). */
export interface DeclaredSize {
  /** The number of characters, items or members; 0 for types of a fixed size. */
  readonly maxElements: number;
  /** Bytes of the shortest JSON of a value. */
  readonly minBytes: number;
  readonly fields: ReadonlyMap<string, DeclaredSize>;
  readonly keys: DeclaredSize | undefined;
  readonly elements: DeclaredSize | undefined;
  /** Set when maxElements follows only from the largest request. */
  readonly missing: MissingBound | undefined;
}

/** The longest name of an object: a DNS subdomain. */
const NAME_CHARACTERS = 253;

const TEXT = { type: 'string' };
/** The sizes of a duration or a point in time, in bytes: the longest text that is counted, and the shortest JSON. */
const FORMAT_BYTES: Readonly<Record<string, readonly [longest: number, shortest: number]>> = {
  duration: [32, 3],
  date: [12, 12],
  'date-time': [32, 21],
};

/**
 * @param field the place in an object, for a message.
 * @param root whether the schema describes a whole object; rules can always read the type and the name of one.
 * @returns undefined when rules cannot read the value.
 */
export function declaredSize(schema: JsonObject, field: string, root = false): DeclaredSize | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return textSize(schema, field, 1);
  switch (stringAt(schema, 'type')) {
    case 'array':
      return listSize(schema, field);
    case 'object':
      return isObject(schema.additionalProperties)
        ? mapSize(schema, schema.additionalProperties, field)
        : structSize(root || schema['x-kubernetes-embedded-resource'] === true ? withMetadata(schema) : schema, field);
    case 'string':
      return textSize(schema, field, 2);
    case 'boolean':
      return size(0, 4);
    case 'number':
    case 'integer':
      return size(0, 1);
    default:
      return undefined;
  }
}

/** The size of the part at the end of a path. A path consists of names of fields, `@items`, `@values` and `@keys`. */
export function sizeAt(root: DeclaredSize, path: readonly string[]): DeclaredSize | undefined {
  let part: DeclaredSize | undefined = root;
  for (const step of path) {
    if (step === '@items' || step === '@values') part = part?.elements;
    else if (step === '@keys') part = part?.keys;
    else part = part?.fields.get(step);
  }
  return part;
}

/** How often a value of the schema may occur in one object when no list or map above it has a bound. */
export function occurrencesInRequest({ minBytes }: DeclaredSize): number {
  return Math.floor(MAX_REQUEST_BYTES / (minBytes + 1));
}

function size(maxElements: number, minBytes: number, more: Partial<DeclaredSize> = {}): DeclaredSize {
  return {
    maxElements,
    minBytes,
    fields: new Map(),
    keys: undefined,
    elements: undefined,
    missing: undefined,
    ...more,
  };
}

function textSize(schema: JsonObject, field: string, minBytes: number): DeclaredSize {
  const format = stringAt(schema, 'format');
  const known = FORMAT_BYTES[format];
  if (known !== undefined && minBytes === 2) return size(...known);
  const maxLength = bound(schema, 'maxLength');
  // A code point has up to four bytes. The length of bytes in base64 is counted without a factor.
  if (maxLength !== undefined) return size(format === 'byte' && minBytes === 2 ? maxLength : maxLength * 4, minBytes);
  const values = Array.isArray(schema.enum) && minBytes === 2 && format !== 'byte' ? schema.enum : [];
  if (values.length > 0) {
    return size(Math.max(0, ...values.map((each) => (typeof each === 'string' ? Buffer.byteLength(each) : 0))), 2);
  }
  return size(MAX_REQUEST_BYTES - 2, minBytes, { missing: { field, keyword: 'maxLength' } });
}

function listSize(schema: JsonObject, field: string): DeclaredSize | undefined {
  const items = objectAt(schema, 'items');
  const elements = items === undefined ? undefined : declaredSize(items, `${field}[*]`);
  if (elements === undefined) return undefined;
  const maxItems = bound(schema, 'maxItems');
  if (maxItems !== undefined) return size(maxItems, 2, { elements });
  const most = Math.floor((MAX_REQUEST_BYTES - 2) / (elements.minBytes + 1));
  return size(most, 2, { elements, missing: { field, keyword: 'maxItems' } });
}

function mapSize(schema: JsonObject, values: JsonObject, field: string): DeclaredSize | undefined {
  const elements = declaredSize(values, `${field}[*]`);
  if (elements === undefined) return undefined;
  // The real server counts keys as empty.
  const keys = size(0, 2);
  const maxProperties = bound(schema, 'maxProperties');
  if (maxProperties !== undefined) return size(maxProperties, 2, { keys, elements });
  const most = Math.floor((MAX_REQUEST_BYTES - 2) / (elements.minBytes + 6));
  return size(most, 2, { keys, elements, missing: { field, keyword: 'maxProperties' } });
}

function structSize(schema: JsonObject, field: string): DeclaredSize {
  const required = new Set(stringsAt(schema, 'required'));
  const fields = new Map<string, DeclaredSize>();
  let minBytes = 2;
  for (const { name, schema: property } of propertySchemas(schema, '')) {
    const declared = declaredSize(property, field === '' ? name : `${field}.${name}`);
    if (declared === undefined) continue;
    for (const known of fieldNames(name)) fields.set(known, declared);
    if (required.has(name) && property.default === undefined) {
      minBytes += Buffer.byteLength(name) + declared.minBytes + 4;
    }
  }
  return size(0, minBytes, { fields });
}

/** Rules can read apiVersion, kind, and two fields of the metadata even when the schema does not declare them. */
function withMetadata(schema: JsonObject): JsonObject {
  const properties = objectAt(schema, 'properties');
  const typeOf = (parent: JsonObject | undefined, name: string): string => stringAt(objectAt(parent, name), 'type');
  const inMetadata = objectAt(objectAt(properties, 'metadata'), 'properties');
  const texts = [typeOf(properties, 'kind'), typeOf(properties, 'apiVersion')];
  texts.push(typeOf(inMetadata, 'name'), typeOf(inMetadata, 'generateName'));
  if (texts.every((type) => type === 'string') && typeOf(properties, 'metadata') === 'object') return schema;
  const capped = (name: string, most: number): JsonObject => {
    const own = bound(objectAt(inMetadata, name) ?? {}, 'maxLength') ?? most;
    return { ...TEXT, maxLength: Math.min(own, most) };
  };
  // A generated name is at least one character longer.
  const names = { name: capped('name', NAME_CHARACTERS), generateName: capped('generateName', NAME_CHARACTERS - 1) };
  const metadata = { type: 'object', properties: names };
  return { ...schema, properties: { ...properties, kind: TEXT, apiVersion: TEXT, metadata } };
}

function bound(schema: JsonObject, keyword: MissingBound['keyword']): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' ? Math.max(0, value) : undefined;
}
