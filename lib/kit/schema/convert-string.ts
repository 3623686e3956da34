import type { JsonObject } from '../../core/kube-object.ts';
import type { Conversion } from './conversion.ts';
import { convertExpression } from './expression.ts';
import { checksOf, type ZodCheck, type ZodSchema } from './zod-def.ts';

/** Formats that zod checks by code. The API server has its own check for each of them, with partly different rules. */
const BY_FORMAT: Readonly<Record<string, string>> = { url: 'uri', ipv6: 'ipv6', cidrv6: 'cidr', base64: 'byte' };
/** Formats that zod checks only by a pattern, and their names in the API server. */
const ALSO_NAMED: Readonly<Record<string, string>> = { datetime: 'date-time', date: 'date', ipv4: 'ipv4' };
/** Formats that can be checked only by code. */
const BY_CODE = new Set(['jwt', 'base64url', 'credit_card', 'iban', 'json_string']);

/** Converts a string: its lengths, its patterns and its formats. */
export function convertString(schema: ZodSchema, path: string, conversion: Conversion): JsonObject {
  if (schema._zod.def.coerce === true) {
    return conversion.refuse(path, 'z.coerce changes the value', 'use the type that the field has in YAML');
  }
  const rules: JsonObject[] = [];
  for (const check of checksOf(schema)) rules.push(convertCheck(check, path, conversion));
  return merged(rules);
}

function convertCheck(check: ZodCheck, path: string, conversion: Conversion): JsonObject {
  switch (check.check) {
    case 'min_length':
      return { minLength: check.minimum as number };
    case 'max_length':
      conversion.note(path, 'the API server counts its length in characters, and zod in UTF-16 units');
      return { maxLength: check.maximum as number };
    case 'length_equals':
      return { minLength: check.length as number, maxLength: check.length as number };
    case 'string_format':
      return convertFormat(check, path, conversion);
    default:
      return refuseCheck(check, path, conversion);
  }
}

function convertFormat({ format, pattern }: ZodCheck, path: string, conversion: Conversion): JsonObject {
  const name = String(format);
  if (Object.hasOwn(BY_FORMAT, name)) {
    conversion.note(path, `the API server checks the format ${BY_FORMAT[name]}; what only zod refuses is InvalidSpec`);
    return { format: BY_FORMAT[name] as string };
  }
  if (!(pattern instanceof RegExp) || BY_CODE.has(name)) {
    return conversion.refuse(path, `the API server cannot check the format ${name}`, 'use z.string() with regex()');
  }
  const converted = convertExpression(pattern);
  if ('lacks' in converted) {
    const what = name === 'regex' ? 'its pattern' : `the pattern of the format ${name}`;
    return conversion.refuse(path, `${what} needs ${converted.lacks}, which the API server lacks`, remedyFor(name));
  }
  return {
    pattern: converted.pattern,
    ...(Object.hasOwn(ALSO_NAMED, name) && { format: ALSO_NAMED[name] as string }),
  };
}

function remedyFor(format: string): string {
  if (format === 'hostname') return 'use dnsName() of evenkeel';
  if (format === 'duration') return 'use duration() of evenkeel';
  return 'write it without, e.g. with [Aa] for a flag i, or as CEL in validations';
}

/** Refuses a check that no keyword of a CustomResourceDefinition can express. */
export function refuseCheck({ check }: ZodCheck, path: string, conversion: Conversion): JsonObject {
  if (check === 'custom') {
    return conversion.refuse(
      path,
      'the API server cannot run refine() or check()',
      'write the rule in CEL, in validations',
    );
  }
  if (check === 'overwrite') {
    const what = 'trim(), toLowerCase() and the like change the value';
    return conversion.refuse(path, what, 'refuse what is wrong by regex() instead');
  }
  return conversion.refuse(path, `the API server has no check ${check}`, 'write the rule in CEL, in validations');
}

/** One schema with all rules. A second pattern or format goes into an allOf. */
function merged(rules: readonly JsonObject[]): JsonObject {
  let result: JsonObject = { type: 'string' };
  const others: JsonObject[] = [];
  for (const { minLength, maxLength, ...rule } of rules) {
    if (typeof minLength === 'number') result.minLength = Math.max(minLength, Number(result.minLength ?? 0));
    if (typeof maxLength === 'number') result.maxLength = Math.min(maxLength, Number(result.maxLength ?? maxLength));
    const isTaken = Object.keys(rule).some((keyword) => keyword in result && result[keyword] !== rule[keyword]);
    if (isTaken) others.push(rule);
    else result = { ...result, ...rule };
  }
  return others.length === 0 ? result : { ...result, allOf: others };
}
