import { RE2JS } from 're2js';
import {
  arrayAt,
  isObject,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectAt,
  stringAt,
  stringsAt,
} from '../json.ts';
import { isKnownFormat } from './formats.ts';
import { joinedSchemas, propertySchemas } from './keywords.ts';

/**
 * The compiled checks of one schema. Unlike the structure, they include the schemas under allOf, anyOf, oneOf and not.
 */
export interface Checks {
  /** The permitted JSON types. An empty list permits all types. */
  readonly types: readonly string[];
  readonly nullable: boolean;
  /** The format; empty when the real server ignores it. */
  readonly format: string;
  readonly enum: readonly JsonValue[];
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: { readonly source: string; readonly expression: RE2JS } | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly items: Checks | undefined;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  readonly required: readonly string[];
  readonly properties: ReadonlyMap<string, Checks>;
  /** The checks of undeclared members; false when undeclared members are not allowed. */
  readonly values: Checks | false | undefined;
  readonly allOf: readonly Checks[];
  readonly anyOf: readonly Checks[];
  readonly oneOf: readonly Checks[];
  readonly not: Checks | undefined;
  /** The keys that match items of the old list with items of the new list. */
  readonly listKeys: readonly string[];
}

/** Compiles a schema that has no errors. Each pattern is compiled once, with RE2's syntax and linear time. */
export function compileChecks(schema: JsonObject): Checks {
  const types = typesOf(schema);
  const pattern = stringAt(schema, 'pattern');
  const items = objectAt(schema, 'items');
  const additional = schema.additionalProperties;
  const joined = (keyword: 'allOf' | 'anyOf' | 'oneOf' | 'not'): Checks[] =>
    joinedSchemas(schema, keyword, '').map((each) => compileChecks(each.schema));
  return {
    types,
    nullable: schema.nullable === true,
    format: formatOf(schema, types),
    enum: arrayAt(schema, 'enum'),
    minimum: numberAt(schema, 'minimum'),
    maximum: numberAt(schema, 'maximum'),
    exclusiveMinimum: schema.exclusiveMinimum === true,
    exclusiveMaximum: schema.exclusiveMaximum === true,
    multipleOf: numberAt(schema, 'multipleOf'),
    minLength: numberAt(schema, 'minLength'),
    maxLength: numberAt(schema, 'maxLength'),
    pattern: pattern === '' ? undefined : { source: pattern, expression: RE2JS.compile(pattern) },
    minItems: numberAt(schema, 'minItems'),
    maxItems: numberAt(schema, 'maxItems'),
    items: items === undefined ? undefined : compileChecks(items),
    minProperties: numberAt(schema, 'minProperties'),
    maxProperties: numberAt(schema, 'maxProperties'),
    required: stringsAt(schema, 'required'),
    properties: new Map(propertySchemas(schema, '').map((each) => [each.name, compileChecks(each.schema)])),
    values: isObject(additional) ? compileChecks(additional) : additional === false ? false : undefined,
    allOf: joined('allOf'),
    anyOf: joined('anyOf'),
    oneOf: joined('oneOf'),
    not: joined('not')[0],
    listKeys: schema['x-kubernetes-list-type'] === 'map' ? stringsAt(schema, 'x-kubernetes-list-map-keys') : [],
  };
}

function typesOf(schema: JsonObject): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  const type = stringAt(schema, 'type');
  return type === '' ? [] : [type];
}

/** The real server ignores a format that does not belong to the type; it does not refuse it. */
function formatOf(schema: JsonObject, types: readonly string[]): string {
  const format = stringAt(schema, 'format');
  const type = types.length === 1 ? types[0] : '';
  switch (type) {
    case '':
    case 'string':
      return isKnownFormat(format) ? format : '';
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : '';
    case 'number':
      return format === 'float' || format === 'double' ? format : '';
    default:
      return '';
  }
}
