import { jsonEqual } from '../../core/json-merge.ts';
import type { JsonObject, JsonValue } from '../../core/kube-object.ts';
import { isFields } from '../value-at.ts';
import type { Conversion } from './conversion.ts';
import type { ZodSchema } from './zod-def.ts';

const VALIDATIONS = 'x-kubernetes-validations';

/** Keywords of Kubernetes that an author may give by `meta()`: they make a schema stricter, never weaker. */
const ALLOWED: readonly string[] = [
  VALIDATIONS,
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-embedded-resource',
];

/** Keywords of OpenAPI that an author may give by `meta()`. Only the API server checks them; zod knows them as notes. */
const SERVER_ONLY: readonly string[] = [
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'enum',
  'required',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
];

/** Every keyword that an author may give by `meta()`. */
export const META_KEYWORDS: readonly string[] = [...ALLOWED, ...SERVER_ONLY];

/** The keywords of a schema in a CustomResourceDefinition that an author gives by `meta()`. */
export function keywordsOf(schema: ZodSchema): [keyword: string, value: JsonValue][] {
  const meta = schema.meta?.();
  const entries = Object.entries(isFields(meta) ? meta : {}) as [string, JsonValue][];
  return entries.filter(([keyword]) => keyword.startsWith('x-kubernetes-') || SERVER_ONLY.includes(keyword));
}

/**
 * The converted schema with its description and its author's keywords. The author's rules come after those of the
 * conversion.
 */
export function annotated(converted: JsonObject, schema: ZodSchema, path: string, conversion: Conversion): JsonObject {
  const { description } = schema;
  const result: JsonObject = { ...converted, ...(description !== undefined && description !== '' && { description }) };
  for (const [keyword, value] of keywordsOf(schema)) {
    if (keyword.startsWith('x-kubernetes-') && !ALLOWED.includes(keyword)) {
      conversion.refuse(path, `meta() cannot set ${keyword}`, `use one of ${ALLOWED.join(', ')}`);
    } else if (keyword === VALIDATIONS) {
      result[keyword] = withRules(result[keyword], value, path, conversion);
    } else if (keyword === 'required') {
      result[keyword] = withRequired(result[keyword], value, path, conversion);
    } else if (result[keyword] !== undefined && !jsonEqual(result[keyword], value)) {
      conversion.refuse(path, `meta() gives ${keyword} two values`, 'give it once');
    } else result[keyword] = value;
  }
  return result;
}

/** Requires more fields than the schema: those that may be null, and the keys of a list in a status. */
function withRequired(
  before: JsonValue | undefined,
  given: JsonValue,
  path: string,
  conversion: Conversion,
): JsonValue {
  const known = Array.isArray(before) ? before : [];
  const isList = Array.isArray(given) && given.length > 0 && given.every((field) => typeof field === 'string');
  if (isList) return [...known, ...given.filter((field) => !known.includes(field))];
  conversion.refuse(path, 'required must be a list of fields', "write ['name']");
  return known;
}

function withRules(before: JsonValue | undefined, given: JsonValue, path: string, conversion: Conversion): JsonValue {
  const known = Array.isArray(before) ? before : [];
  const isList = Array.isArray(given) && given.every((rule) => isFields(rule) && typeof rule.rule === 'string');
  if (isList) return [...known, ...given];
  conversion.refuse(path, `${VALIDATIONS} must be a list of rules`, "write [{ rule: '...', message: '...' }]");
  return known;
}
