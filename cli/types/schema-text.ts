import { jsonEqual } from '../../lib/core/json-merge.ts';
import type { JsonObject, JsonValue } from '../../lib/core/kube-object.ts';
import { META_KEYWORDS } from '../../lib/kit/schema/keywords.ts';
import { listAt } from '../../lib/kit/value-at.ts';
import { arrayPart, objectPart } from './container-text.ts';
import { escapedTexts } from './escaped-rule.ts';
import { literal, textLiteral } from './literal.ts';
import { booleanPart, integerPart, intOrStringPart, numberPart, stringPart } from './scalar-text.ts';
import type { SchemaPart, Writing } from './writing.ts';

const RULES = 'x-kubernetes-validations';
const INT_OR_STRING = 'x-kubernetes-int-or-string';
/** How definitions that generators wrote say once more that a value is a whole number or a text. */
const EITHER: JsonValue = [{ type: 'integer' }, { type: 'string' }];
/** They document a schema, or the field that has it says them. */
const ELSEWHERE = new Set(['title', 'description', 'externalDocs', 'example', 'default', 'nullable', 'uniqueItems']);

/** A structural schema as a schema of zod that `defineKind` converts into the same one. */
export function schemaText(schema: JsonObject, path: string, writing: Writing, keys: readonly string[] = []): string {
  const own = schema[INT_OR_STRING] === true ? withoutEither(schema) : schema;
  const { text, says, meta = {} } = partOf(own, path, writing, keys);
  const given: JsonObject = { ...meta };
  for (const [keyword, value] of Object.entries(own)) {
    if (says.includes(keyword) || ELSEWHERE.has(keyword) || isUnset(value)) continue;
    if (keyword === RULES) given[keyword] = escapedRules(own, path, writing);
    else if (META_KEYWORDS.includes(keyword)) given[keyword] = value;
    else writing.note(path, `${keyword} is left out, because defineKind does not know it`);
  }
  const { description } = schema;
  const about = typeof description === 'string' && description !== '' ? `.describe(${textLiteral(description)})` : '';
  return `${text}${about}${Object.keys(given).length === 0 ? '' : `.meta(${literal(given)})`}`;
}

function partOf(schema: JsonObject, path: string, writing: Writing, keys: readonly string[]): SchemaPart {
  if (schema[INT_OR_STRING] === true) return intOrStringPart(schema, path, writing);
  switch (schema.type) {
    case 'string':
      return stringPart(schema, path, writing);
    case 'number':
      return numberPart(schema, path, writing);
    case 'integer':
      return integerPart(schema, path, writing);
    case 'boolean':
      return booleanPart(schema, path, writing);
    case 'array':
      return arrayPart(schema, path, writing);
    case 'object':
      return objectPart(schema, path, writing, keys);
    default:
      return { text: 'z.unknown()', says: ['type', 'x-kubernetes-preserve-unknown-fields'] };
  }
}

/** x-kubernetes-int-or-string says it already. */
function withoutEither(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  if (jsonEqual(anyOf, EITHER)) return rest;
  const [first, ...others] = listAt(schema, 'allOf') as JsonObject[];
  return jsonEqual(first, { anyOf: EITHER }) ? { ...schema, allOf: others } : schema;
}

/** The rules, with the names of fields that every API server takes. */
function escapedRules(schema: JsonObject, path: string, writing: Writing): JsonValue {
  return (listAt(schema, RULES) as JsonObject[]).map((given) => {
    const escaped = escapedTexts(given, schema);
    if (!jsonEqual(escaped, given))
      writing.note(path, 'its rules name fields as CEL escapes them, which means the same');
    return escaped;
  });
}

/** As the API server writes a keyword that is not set. */
function isUnset(value: JsonValue): boolean {
  return value === false || value === '' || (Array.isArray(value) && value.length === 0);
}
