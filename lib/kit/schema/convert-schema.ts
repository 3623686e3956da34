import type { JsonObject, JsonValue } from '../../core/kube-object.ts';
import { isFields } from '../value-at.ts';
import { Conversion, type ConversionMode } from './conversion.ts';
import { convertNumber } from './convert-number.ts';
import { convertArray, convertObject, convertRecord } from './convert-object.ts';
import { convertString } from './convert-string.ts';
import { convertUnion, convertWords, wordsOf } from './convert-union.ts';
import { convertExpression } from './expression.ts';
import { annotated } from './keywords.ts';
import { refuseChecks, refuseRules } from './parts.ts';
import { ruleNameFaults } from './rule-names.ts';
import { innerOf, type ZodSchema } from './zod-def.ts';

/** The structural schema of a zod schema, and the errors that prevent it. */
export interface ConvertedSchema {
  readonly schema: JsonObject;
  /** Empty for a schema that the API server checks as strictly as zod does. */
  readonly faults: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Converts a zod 4 schema to the structural schema of a CustomResourceDefinition (apiextensions.k8s.io/v1). Everything
 * that the API server would check less strictly, or not at all, is an error.
 * @param path the name of the schema in messages: `spec`.
 */
export function convertSchema(schema: unknown, path: string, mode: ConversionMode): ConvertedSchema {
  const conversion = new Conversion(convertOne, mode);
  if (!isZod(schema)) {
    return { schema: {}, faults: [`${path}: must be a schema of zod 4, such as z.object({ ... }).`], notes: [] };
  }
  const converted = conversion.convert(schema, path);
  return {
    schema: converted,
    faults: [...conversion.faults, ...ruleNameFaults(converted, path)],
    notes: conversion.notes,
  };
}

function isZod(value: unknown): value is ZodSchema {
  const def = isFields(value) && isFields(value._zod) ? value._zod.def : undefined;
  return isFields(def) && typeof def.type === 'string';
}

function convertOne(schema: ZodSchema, path: string, conversion: Conversion): JsonObject {
  return annotated(convertType(schema, path, conversion), schema, path, conversion);
}

function convertType(schema: ZodSchema, path: string, conversion: Conversion): JsonObject {
  const { def } = schema._zod;
  switch (def.type) {
    case 'string':
      return convertString(schema, path, conversion);
    case 'number':
      return convertNumber(schema, path, conversion);
    case 'object':
      return convertObject(schema, path, conversion);
    case 'record':
      return convertRecord(schema, path, conversion);
    case 'array':
      return convertArray(schema, path, conversion);
    case 'union':
      return convertUnion(schema, path, conversion);
    case 'enum':
    case 'literal':
      refuseChecks(schema, path, conversion);
      return convertWords(wordsOf(def), path, conversion);
    case 'boolean':
      return convertBoolean(schema, path, conversion);
    case 'template_literal':
      return convertTemplate(schema, path, conversion);
    case 'any':
    case 'unknown':
      refuseChecks(schema, path, conversion);
      conversion.note(path, 'the API server checks nothing of it');
      return { 'x-kubernetes-preserve-unknown-fields': true };
    default:
      return convertWrapper(schema, path, conversion);
  }
}

/** Converts a schema that wraps another one. */
function convertWrapper(schema: ZodSchema, path: string, conversion: Conversion): JsonObject {
  const { def } = schema._zod;
  switch (def.type) {
    case 'readonly':
    case 'nonoptional':
      refuseChecks(schema, path, conversion);
      return conversion.convert(innerOf(def), path);
    case 'lazy':
      refuseChecks(schema, path, conversion);
      return conversion.convert((def.getter as () => ZodSchema)(), path);
    case 'optional':
      refuseChecks(schema, path, conversion);
      return convertOptional(innerOf(def), path, conversion);
    case 'default':
    case 'prefault':
      refuseChecks(schema, path, conversion);
      return convertDefault(schema, path, conversion);
    default: {
      const [what, remedy] = REFUSED[def.type] ?? [`a CRD has no ${def.type}`, 'use another type'];
      return conversion.refuse(path, what, remedy);
    }
  }
}

const CHANGED = 'keep the value as it is, and change it in the code';
const NOT_JSON = 'use z.string(), z.number() or z.boolean()';

/** Types that a CustomResourceDefinition does not have: what is wrong, and what to write instead. */
const REFUSED: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  nullable: ['null and a missing field are one to Kubernetes', 'use optional() or nullish()'],
  null: ['null and a missing field are one to Kubernetes', 'make the field optional()'],
  undefined: ['JSON has no undefined', 'make the field optional()'],
  void: ['JSON has no undefined', 'make the field optional()'],
  never: ['no value is valid', 'leave the field out'],
  pipe: ['transform(), pipe() and codecs change the value', CHANGED],
  transform: ['transform() changes the value', CHANGED],
  catch: ['catch() replaces what is wrong, and the API server would refuse it', 'use default() for a missing value'],
  success: ['success() replaces the value', CHANGED],
  tuple: ['lists have items of one schema', 'use z.object() with a field for each item'],
  intersection: ['an intersection is no structural schema', 'use a.extend(b.shape) for objects'],
  set: ['JSON has no Set', "use z.array() with .meta({ 'x-kubernetes-list-type': 'set' })"],
  map: ['JSON has no Map', 'use z.record(z.string(), ...)'],
  date: ['JSON has no Date', 'use z.iso.datetime()'],
  bigint: ['JSON has no BigInt', 'use z.int(), or quantity() of evenkeel'],
  symbol: ['JSON has no Symbol', NOT_JSON],
  nan: ['JSON has no NaN', NOT_JSON],
  file: ['JSON has no File', NOT_JSON],
  function: ['JSON has no functions', NOT_JSON],
  promise: ['JSON has no Promise', NOT_JSON],
  custom: ['the API server cannot run custom() or instanceof()', 'use a type of JSON, and rules in validations'],
};

function convertBoolean(schema: ZodSchema, path: string, conversion: Conversion): JsonObject {
  refuseChecks(schema, path, conversion);
  if (schema._zod.def.coerce === true) {
    return conversion.refuse(path, 'z.coerce changes the value', 'use the type that the field has in YAML');
  }
  return { type: 'boolean' };
}

function convertTemplate(schema: ZodSchema, path: string, conversion: Conversion): JsonObject {
  refuseChecks(schema, path, conversion);
  const converted = convertExpression(schema._zod.pattern ?? /^/);
  if ('pattern' in converted) return { type: 'string', pattern: converted.pattern };
  return conversion.refuse(path, `its parts need ${converted.lacks}, which the API server lacks`, 'use simpler parts');
}

/** A field that may be null or absent may be null in a request too; the pass sees null as absent. */
function convertOptional(inner: ZodSchema, path: string, conversion: Conversion): JsonObject {
  if (inner._zod.def.type !== 'nullable') return conversion.convert(inner, path);
  refuseRules(inner, path, conversion);
  conversion.note(path, 'null counts as absent');
  return { ...conversion.convert(innerOf(inner._zod.def), path), nullable: true };
}

function convertDefault(schema: ZodSchema, path: string, conversion: Conversion): JsonObject {
  const { def } = schema._zod;
  const converted = conversion.convert(innerOf(def), path);
  const [first, second] = [JSON.stringify(def.defaultValue), JSON.stringify(def.defaultValue)];
  if (first === undefined || first !== second) {
    return conversion.refuse(
      path,
      'the default is different each time, or is no JSON',
      'use a value that stays the same',
    );
  }
  if (converted.nullable === true || innerOf(def)._zod.def.type === 'optional') {
    return conversion.refuse(path, 'a field with a default is never absent', 'use default() without optional()');
  }
  const value = JSON.parse(first) as JsonValue;
  if (innerOf(def).safeParse?.(value).success === false) {
    return conversion.refuse(path, 'its own schema refuses the default', 'use a default that the schema accepts');
  }
  return { ...converted, default: value };
}
