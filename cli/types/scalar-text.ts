import type { JsonObject, JsonValue } from '../../lib/core/kube-object.ts';
import { listAt } from '../../lib/kit/value-at.ts';
import { expressionOf } from './expression-of.ts';
import { literal } from './literal.ts';
import type { SchemaPart, Writing } from './writing.ts';

/** Beyond it the API server compares no bound. */
const LARGEST_BOUND = 2 ** 63;
const ENUM_KEYWORDS = ['type', 'enum'];

/** A text. */
export function stringPart(schema: JsonObject, path: string, writing: Writing): SchemaPart {
  const words = wordsOf(schema, path, writing);
  if (words.length > 0 && words.every((word) => typeof word === 'string')) {
    return { text: `z.enum(${literal(words)})`, says: ENUM_KEYWORDS };
  }
  const checks = textChecks(schema, path, writing);
  return { text: `z.string()${checks.text}`, says: ['type', ...checks.says] };
}

/** A number that may have a fraction. */
export function numberPart(schema: JsonObject, path: string, writing: Writing): SchemaPart {
  const words = wordsOf(schema, path, writing);
  if (words.length > 0 && words.every(Number.isInteger)) return { text: literalText(words), says: ENUM_KEYWORDS };
  const checks = numberChecks(schema, path, writing);
  return { text: `z.number()${checks.text}`, says: ['type', 'format', ...checks.says] };
}

/** A whole number. */
export function integerPart(schema: JsonObject, path: string, writing: Writing): SchemaPart {
  const words = wordsOf(schema, path, writing);
  if (words.length > 0 && words.every(Number.isInteger)) return { text: literalText(words), says: ENUM_KEYWORDS };
  const checks = numberChecks(schema, path, writing);
  if (schema.format === 'int32') return { text: `z.int32()${checks.text}`, says: ['type', 'format', ...checks.says] };
  const isBound = (value: JsonValue | undefined) =>
    typeof value === 'number' && Number.isSafeInteger(Math.trunc(value));
  if (!isBound(schema.minimum) || !isBound(schema.maximum)) {
    writing.note(path, 'a whole number beyond 2^53 - 1 is refused, because JavaScript cannot represent it');
  }
  return { text: `z.int()${checks.text}`, says: ['type', 'format', ...checks.says] };
}

export function booleanPart(schema: JsonObject, path: string, writing: Writing): SchemaPart {
  const words = wordsOf(schema, path, writing);
  if (words.length > 0) return { text: literalText(words), says: ENUM_KEYWORDS };
  return { text: 'z.boolean()', says: ['type', 'format'] };
}

/** A whole number or a text. */
export function intOrStringPart(schema: JsonObject, path: string, writing: Writing): SchemaPart {
  const says = ['x-kubernetes-int-or-string', 'type', 'format'];
  const [number, text] = [numberChecks(schema, path, writing), textChecks(schema, path, writing)];
  if (number.text === '' && text.text === '') {
    writing.mode.imports.add('intOrString');
    return { text: 'intOrString()', says };
  }
  return {
    text: `z.union([z.int()${number.text}, z.string()${text.text}])`,
    says: [...says, ...number.says, ...text.says],
  };
}

function literalText(words: readonly JsonValue[]): string {
  const [first] = words;
  return `z.literal(${literal(words.length === 1 && first !== undefined ? first : [...words])})`;
}

/** The allowed values. Null is not among them: the field may be null if it says so. */
function wordsOf(schema: JsonObject, path: string, writing: Writing): JsonValue[] {
  const words = listAt(schema, 'enum') as JsonValue[];
  if (words.includes(null)) writing.note(path, 'null is no value of its enum');
  return words.filter((word) => word !== null);
}

function textChecks(schema: JsonObject, path: string, writing: Writing): SchemaPart {
  const { minLength, maxLength, pattern } = schema;
  const says = ['minLength', 'maxLength'];
  let text = '';
  if (typeof minLength === 'number' && minLength > 0) text += `.min(${minLength})`;
  if (typeof maxLength === 'number') text += `.max(${maxLength})`;
  if (typeof pattern !== 'string' || pattern === '') return { text, says: [...says, 'pattern'] };
  const expression = expressionOf(pattern);
  if (expression === undefined) {
    writing.note(path, 'only the API server checks its pattern, which JavaScript reads in another way');
    return { text, says };
  }
  return { text: `${text}.regex(${expression})`, says: [...says, 'pattern'] };
}

function numberChecks(schema: JsonObject, path: string, writing: Writing): SchemaPart {
  const { multipleOf } = schema;
  const low = boundCheck(schema, 'minimum', path, writing);
  const high = boundCheck(schema, 'maximum', path, writing);
  const multiple = typeof multipleOf === 'number' ? `.multipleOf(${multipleOf})` : '';
  const says = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf'];
  return { text: `${low}${high}${multiple}`, says };
}

function boundCheck(schema: JsonObject, keyword: 'minimum' | 'maximum', path: string, writing: Writing): string {
  const bound = schema[keyword];
  if (typeof bound !== 'number') return '';
  if (Math.abs(bound) >= LARGEST_BOUND) {
    writing.note(path, 'a bound beyond 64 bits is left out, because the API server does not compare it');
    return '';
  }
  const isLow = keyword === 'minimum';
  const isExclusive = schema[isLow ? 'exclusiveMinimum' : 'exclusiveMaximum'] === true;
  if (isExclusive) return `.${isLow ? 'gt' : 'lt'}(${bound})`;
  return `.${isLow ? 'min' : 'max'}(${bound})`;
}
