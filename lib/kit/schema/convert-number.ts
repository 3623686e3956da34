import type { JsonObject } from '../../core/kube-object.ts';
import type { Conversion } from './conversion.ts';
import { refuseCheck } from './convert-string.ts';
import { checksOf, type ZodCheck, type ZodSchema } from './zod-def.ts';

/**
 * The API server compares a whole number with a bound beyond this incorrectly, because it reads the bound as a 64-bit
 * integer.
 */
const LARGEST_BOUND = 2 ** 63;

/** The OpenAPI schema of each number format of zod. */
const FORMATS: Readonly<Record<string, JsonObject>> = {
  safeint: {
    type: 'integer',
    format: 'int64',
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  int32: { type: 'integer', format: 'int32', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  uint32: { type: 'integer', format: 'int64', minimum: 0, maximum: 2 ** 32 - 1 },
  float64: {},
};

/** Converts a number: its bounds, and whether it is an integer. */
export function convertNumber(schema: ZodSchema, path: string, conversion: Conversion): JsonObject {
  if (schema._zod.def.coerce === true) {
    return conversion.refuse(path, 'z.coerce changes the value', 'use the type that the field has in YAML');
  }
  const result: JsonObject = { type: 'number' };
  for (const check of checksOf(schema)) apply(check, result, path, conversion);
  for (const bound of [result.minimum, result.maximum]) {
    if (typeof bound !== 'number' || Math.abs(bound) < LARGEST_BOUND) continue;
    conversion.refuse(path, 'the API server compares no bound beyond 64 bits', 'leave the bound out');
  }
  return result;
}

function apply(check: ZodCheck, result: JsonObject, path: string, conversion: Conversion): void {
  const { value, inclusive } = check as { value?: number; inclusive?: boolean };
  switch (check.check) {
    case 'number_format': {
      const format = FORMATS[String(check.format)];
      if (format === undefined) {
        conversion.refuse(path, `the API server has no ${String(check.format)}`, 'use z.number() with min() and max()');
        return;
      }
      const { minimum, maximum, ...rest } = format;
      Object.assign(result, rest);
      if (typeof minimum === 'number') bound(result, 'minimum', minimum, true);
      if (typeof maximum === 'number') bound(result, 'maximum', maximum, true);
      return;
    }
    case 'greater_than':
      bound(result, 'minimum', value ?? 0, inclusive === true);
      return;
    case 'less_than':
      bound(result, 'maximum', value ?? 0, inclusive === true);
      return;
    case 'multiple_of':
      if (result.multipleOf === undefined) result.multipleOf = value ?? 1;
      else conversion.refuse(path, 'the API server takes one multipleOf()', 'write their least common multiple');
      return;
    default:
      refuseCheck(check, path, conversion);
  }
}

/** The stricter one of two bounds is used. */
function bound(result: JsonObject, keyword: 'minimum' | 'maximum', value: number, inclusive: boolean): void {
  const exclusive = keyword === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
  const before = result[keyword];
  const isLooser = typeof before === 'number' && (keyword === 'minimum' ? value < before : value > before);
  if (isLooser || (before === value && inclusive)) return;
  result[keyword] = value;
  if (inclusive) delete result[exclusive];
  else result[exclusive] = true;
}
