import type { JsonObject } from '../../core/kube-object.ts';
import { type Conversion, MAX_DEPTH } from './conversion.ts';
import { refuseCheck } from './convert-string.ts';
import { keywordsOf } from './keywords.ts';
import { checksOf, innerOf, type ZodSchema } from './zod-def.ts';

/** Refuses the checks of a schema that the API server has no keyword for. */
export function refuseChecks(schema: ZodSchema, path: string, conversion: Conversion): void {
  for (const check of checksOf(schema)) refuseCheck(check, path, conversion);
}

/**
 * Refuses the keywords of a schema that is a part of another one: the CustomResourceDefinition has no place for them.
 */
export function refuseKeywords(schema: ZodSchema, path: string, conversion: Conversion): void {
  for (const [keyword] of keywordsOf(schema)) {
    conversion.refuse(path, `meta() with ${keyword} has no place here`, 'call meta() on the schema of the whole field');
  }
}

/** Refuses every rule of a schema that is read without a conversion. */
export function refuseRules(schema: ZodSchema, path: string, conversion: Conversion): void {
  refuseChecks(schema, path, conversion);
  refuseKeywords(schema, path, conversion);
}

/**
 * Removes wrappers that do not change the JSON: readonly and lazy. The rules of these are refused, because the
 * conversion continues without them.
 */
export function unwrapped(schema: ZodSchema, path: string, conversion: Conversion): ZodSchema {
  let current = schema;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const { def } = current._zod;
    if (def.type !== 'readonly' && def.type !== 'lazy') return current;
    refuseRules(current, path, conversion);
    current = def.type === 'readonly' ? innerOf(def) : (def.getter as () => ZodSchema)();
  }
  conversion.refuseDepth(path);
  return current;
}

/** Converts the schema of a field. */
export function convertField(field: string, inner: ZodSchema, path: string, conversion: Conversion): JsonObject {
  const place = `${path}.${field}`;
  refuseName(field, place, conversion);
  return conversion.convert(inner, place);
}

/** In JavaScript, an object with this key gets another prototype instead of a field. */
export function refuseName(field: string, place: string, conversion: Conversion): void {
  if (field === '__proto__')
    conversion.refuse(place, 'no object can have a field of this name', 'give it another name');
}
