import type { JsonObject } from '../../core/kube-object.ts';
import type { Conversion } from './conversion.ts';
import { refuseCheck } from './convert-string.ts';
import { wordsOf } from './convert-union.ts';
import { convertField, refuseChecks, refuseKeywords, refuseRules, unwrapped } from './parts.ts';
import { checksOf, innerOf, isOptional, shapeOf, type ZodSchema } from './zod-def.ts';

const OPEN = 'the API server checks nothing of fields that are not named';

/** An object with named fields. */
export function convertObject(schema: ZodSchema, path: string, conversion: Conversion): JsonObject {
  refuseChecks(schema, path, conversion);
  const { def } = schema._zod;
  const shape = shapeOf(def);
  const properties = Object.fromEntries(
    shape.map(([field, inner]) => [field, convertField(field, inner, path, conversion)]),
  );
  const required = conversion.mode.isStatus ? [] : shape.filter(([, inner]) => !isOptional(inner));
  return {
    type: 'object',
    ...(required.length > 0 && { required: required.map(([field]) => field) }),
    ...(shape.length > 0 && { properties }),
    ...convertCatchall(def.catchall as ZodSchema | undefined, path, conversion, shape.length > 0),
  };
}

function convertCatchall(
  catchall: ZodSchema | undefined,
  path: string,
  conversion: Conversion,
  hasFields: boolean,
): JsonObject {
  if (catchall === undefined) return {};
  const { type } = catchall._zod.def;
  if (type === 'never' || type === 'unknown' || type === 'any') refuseRules(catchall, path, conversion);
  if (type === 'never') {
    conversion.note(path, 'the API server drops unknown fields instead of refusing them, and kubectl warns of them');
    return {};
  }
  if (type === 'unknown' || type === 'any') {
    conversion.note(path, OPEN);
    return { 'x-kubernetes-preserve-unknown-fields': true };
  }
  if (!hasFields) return { additionalProperties: conversion.convert(catchall, `${path}.*`) };
  const remedy = 'put the others into a field of their own, as a z.record()';
  return conversion.refuse(path, 'named fields and catchall() exclude each other', remedy);
}

/** Converts a record. Text keys become a map with values of one schema; the keys of an enum become an object. */
export function convertRecord(schema: ZodSchema, path: string, conversion: Conversion): JsonObject {
  refuseChecks(schema, path, conversion);
  const { def } = schema._zod;
  const key = unwrapped(innerOf(def, 'keyType'), path, conversion);
  const value = innerOf(def, 'valueType');
  refuseKeywords(key, path, conversion);
  if (key._zod.def.type === 'enum') return convertEnumRecord(key, value, path, conversion, def.partial === true);
  if (key._zod.def.type !== 'string' || checksOf(key).length > 0 || def.mode === 'loose') {
    const what = 'the API server checks no keys of a map';
    const remedy = 'use z.string() as the key, and a rule such as self.m.all(k, k.matches(...)) in validations';
    return conversion.refuse(path, what, remedy);
  }
  return { type: 'object', additionalProperties: conversion.convert(value, `${path}.*`) };
}

function convertEnumRecord(
  key: ZodSchema,
  value: ZodSchema,
  path: string,
  conversion: Conversion,
  isPartial: boolean,
): JsonObject {
  refuseChecks(key, path, conversion);
  const words = wordsOf(key._zod.def).map(String);
  const required = !isPartial && !conversion.mode.isStatus && !isOptional(value);
  const properties = Object.fromEntries(words.map((word) => [word, convertField(word, value, path, conversion)]));
  conversion.note(path, 'the words of its keys became fields of an object');
  return { type: 'object', ...(required && { required: words }), properties };
}

/** Converts a list with values of one schema. */
export function convertArray(schema: ZodSchema, path: string, conversion: Conversion): JsonObject {
  const result: JsonObject = {
    type: 'array',
    items: conversion.convert(innerOf(schema._zod.def, 'element'), `${path}[]`),
  };
  for (const check of checksOf(schema)) {
    if (check.check === 'min_length') result.minItems = Math.max(Number(check.minimum), Number(result.minItems ?? 0));
    else if (check.check === 'max_length')
      result.maxItems = Math.min(Number(check.maximum), Number(result.maxItems ?? Number.POSITIVE_INFINITY));
    else if (check.check === 'length_equals') Object.assign(result, { minItems: check.length, maxItems: check.length });
    else refuseCheck(check, path, conversion);
  }
  return result;
}
