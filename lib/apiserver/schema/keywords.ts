import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { type SchemaIssue, typeInvalid } from './issue.ts';

type Shape = 'string' | 'number' | 'boolean' | 'strings' | 'values' | 'objects';

const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ...(['type', 'format', 'title', 'description', 'pattern', '$ref', '$schema', 'id'] as const).map(shaped('string')),
  ...(['x-kubernetes-list-type', 'x-kubernetes-map-type'] as const).map(shaped('string')),
  ...(['maximum', 'minimum', 'multipleOf', 'maxLength', 'minLength'] as const).map(shaped('number')),
  ...(['maxItems', 'minItems', 'maxProperties', 'minProperties'] as const).map(shaped('number')),
  ...(['exclusiveMaximum', 'exclusiveMinimum', 'uniqueItems', 'nullable'] as const).map(shaped('boolean')),
  ...(['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const).map(shaped('boolean')),
  ['x-kubernetes-int-or-string', 'boolean'],
  ['required', 'strings'],
  ['x-kubernetes-list-map-keys', 'strings'],
  ['enum', 'values'],
  ['x-kubernetes-validations', 'objects'],
]);

const JUNCTORS = ['allOf', 'anyOf', 'oneOf'] as const;

function shaped(shape: Shape): (keyword: string) => [string, Shape] {
  return (keyword) => [keyword, shape];
}

export interface Subschema {
  readonly path: string;
  readonly schema: JsonObject;
}

export function propertyPath(path: string, name: string): string {
  return `${path}.properties[${name}]`;
}

/** The declared properties, in the order of the document. */
export function propertySchemas(schema: JsonObject, path: string): readonly (Subschema & { readonly name: string })[] {
  const properties = schema.properties;
  if (!isObject(properties)) return [];
  return Object.keys(properties).flatMap((name) => {
    const property = properties[name];
    return isObject(property) ? [{ name, path: propertyPath(path, name), schema: property }] : [];
  });
}

/** The schemas in one of allOf, anyOf and oneOf, or the schema of not. */
export function joinedSchemas(
  schema: JsonObject,
  keyword: 'allOf' | 'anyOf' | 'oneOf' | 'not',
  path: string,
): readonly Subschema[] {
  const value = schema[keyword];
  if (keyword === 'not') return isObject(value) ? [{ path: `${path}.not`, schema: value }] : [];
  if (!Array.isArray(value)) return [];
  return value.flatMap((each, index) =>
    isObject(each) ? [{ path: `${path}.${keyword}[${index}]`, schema: each }] : [],
  );
}

/** All schemas directly below: those that describe parts of the value, and those that restrict the same value. */
function subschemas(schema: JsonObject, path: string): readonly Subschema[] {
  const below: Subschema[] = [...propertySchemas(schema, path)];
  for (const keyword of ['items', 'additionalProperties'] as const) {
    const value = schema[keyword];
    if (isObject(value)) below.push({ path: `${path}.${keyword}`, schema: value });
  }
  for (const keyword of [...JUNCTORS, 'not'] as const) below.push(...joinedSchemas(schema, keyword, path));
  return below;
}

/** Keywords whose value has the wrong JSON type. If there is one, nothing else can be checked. */
export function shapeFaults(schema: JsonObject, path: string): readonly SchemaIssue[] {
  const faults: SchemaIssue[] = [];
  for (const [keyword, shape] of SHAPES) {
    const value = schema[keyword];
    if (value !== undefined && !hasShape(value, shape)) faults.push(misshapen(`${path}.${keyword}`, value, shape));
  }
  const properties = schema.properties;
  if (properties !== undefined && !(isObject(properties) && Object.values(properties).every(isObject))) {
    faults.push(misshapen(`${path}.properties`, properties, 'objects'));
  }
  for (const keyword of JUNCTORS) {
    const value = schema[keyword];
    if (value !== undefined && !hasShape(value, 'objects'))
      faults.push(misshapen(`${path}.${keyword}`, value, 'objects'));
  }
  for (const below of subschemas(schema, path)) faults.push(...shapeFaults(below.schema, below.path));
  return faults;
}

function misshapen(path: string, value: JsonValue, shape: Shape): SchemaIssue {
  return typeInvalid(path, value, `must be ${DESCRIPTIONS[shape]}`);
}

const DESCRIPTIONS: Readonly<Record<Shape, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  strings: 'a list of strings',
  values: 'a list',
  objects: 'made of objects',
};

function hasShape(value: JsonValue, shape: Shape): boolean {
  switch (shape) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'boolean':
      return typeof value === shape;
    case 'strings':
      return Array.isArray(value) && value.every((each) => typeof each === 'string');
    case 'values':
      return Array.isArray(value);
    case 'objects':
      return Array.isArray(value) && value.every(isObject);
  }
}
