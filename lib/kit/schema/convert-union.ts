import { jsonEqual } from '../../core/json-merge.ts';
import type { JsonObject, JsonValue } from '../../core/kube-object.ts';
import { celName, celText } from './cel-name.ts';
import type { Conversion } from './conversion.ts';
import { convertField, refuseChecks, refuseKeywords, refuseName, refuseRules, unwrapped } from './parts.ts';
import { isOptional, optionsOf, shapeOf, type ZodDef, type ZodSchema } from './zod-def.ts';

const ALTERNATIVES = 'use z.discriminatedUnion() for objects, and a rule in validations for all else';

/** Converts alternatives: words, a number or a text, or objects with a tag that distinguishes them. */
export function convertUnion(schema: ZodSchema, path: string, conversion: Conversion): JsonObject {
  refuseChecks(schema, path, conversion);
  const { def } = schema._zod;
  const options = optionsOf(def).map((option) => unwrapped(option, path, conversion));
  const [first] = options;
  if (first !== undefined && options.length === 1) return conversion.convert(first, path);
  if (typeof def.discriminator === 'string') return convertTagged(def.discriminator, options, path, conversion);
  if (options.every(({ _zod }) => _zod.def.type === 'literal' || _zod.def.type === 'enum')) {
    for (const option of options) refuseRules(option, path, conversion);
    return convertWords(
      options.flatMap(({ _zod }) => wordsOf(_zod.def)),
      path,
      conversion,
    );
  }
  return convertIntOrString(options, path, conversion);
}

/** Converts literals and enums. */
export function convertWords(words: readonly unknown[], path: string, conversion: Conversion): JsonObject {
  const types = new Set(words.map((word) => (Number.isInteger(word) ? 'integer' : typeof word)));
  const [type] = types;
  if (types.size !== 1 || !['string', 'number', 'integer', 'boolean'].includes(type ?? '')) {
    const what = 'the words are of different types, or of none that JSON has';
    return conversion.refuse(path, what, 'use texts alone; for null, make the field optional()');
  }
  return { type: type as string, enum: [...new Set(words)] as JsonValue[] };
}

/** The values of a literal or an enum. */
export function wordsOf(def: ZodDef): readonly unknown[] {
  if (def.type === 'literal') return def.values as readonly unknown[];
  const entries = def.entries as Record<string, string | number>;
  // A TypeScript enum with numbers also has an entry from each number to its name.
  const numbers = Object.values(entries).filter((value) => typeof value === 'number');
  return Object.entries(entries).flatMap(([key, value]) => (numbers.includes(Number(key)) ? [] : [value]));
}

function convertIntOrString(options: readonly ZodSchema[], path: string, conversion: Conversion): JsonObject {
  for (const option of options) refuseKeywords(option, path, conversion);
  const converted = new Map(options.map((option) => [option._zod.def.type, conversion.convert(option, path)]));
  const [number, text] = [converted.get('number'), converted.get('string')];
  if (options.length !== 2 || number?.type !== 'integer' || text === undefined) {
    return conversion.refuse(path, 'the API server cannot tell these alternatives apart', ALTERNATIVES);
  }
  const { type: _, format: __, ...bounds } = number;
  const { type: ___, ...rules } = text;
  return { ...bounds, ...rules, 'x-kubernetes-int-or-string': true };
}

interface TaggedField {
  readonly schema: JsonObject;
  /** The tags whose options have the field. */
  readonly tags: string[];
}

/**
 * Converts a tagged union. One object has the fields of all options; `oneOf` has the fields that each tag requires, and
 * a rule in CEL refuses fields of another tag.
 */
function convertTagged(tag: string, options: readonly ZodSchema[], path: string, conversion: Conversion): JsonObject {
  refuseName(tag, `${path}.${tag}`, conversion);
  const fields = new Map<string, TaggedField>();
  const tags: string[] = [];
  const alternatives: JsonObject[] = [];
  for (const option of options) {
    const own = option._zod.def.type === 'object' ? tagsOf(option, tag, path, conversion) : undefined;
    if (own === undefined) {
      return conversion.refuse(
        path,
        `an option has no text as its ${tag}`,
        'give each option a z.literal() of its own',
      );
    }
    tags.push(...own);
    refuseRules(option, path, conversion);
    if (option._zod.def.catchall !== undefined)
      conversion.refuse(path, 'an option is strict or loose', 'use z.object()');
    const shape = shapeOf(option._zod.def).filter(([field]) => field !== tag);
    for (const [field, inner] of shape) addField(fields, field, inner, own, path, conversion);
    const required = shape.filter(([, inner]) => !isOptional(inner)).map(([field]) => field);
    alternatives.push({ properties: { [tag]: { enum: own } }, required: [tag, ...required] });
  }
  const properties = Object.fromEntries([...fields].map(([field, { schema }]) => [field, schema]));
  const rules = [...fields].flatMap(([field, { tags: having }]) =>
    having.length === tags.length ? [] : exclusiveRule(tag, field, having, path, conversion),
  );
  return {
    type: 'object',
    required: [tag],
    properties: { [tag]: { type: 'string', enum: tags }, ...properties },
    oneOf: alternatives,
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
  };
}

function tagsOf(option: ZodSchema, tag: string, path: string, conversion: Conversion): string[] | undefined {
  const found = shapeOf(option._zod.def).find(([field]) => field === tag);
  if (found === undefined) return undefined;
  const schema = unwrapped(found[1], `${path}.${tag}`, conversion);
  refuseRules(schema, `${path}.${tag}`, conversion);
  const { def } = schema._zod;
  if (def.type !== 'literal' && def.type !== 'enum') return undefined;
  const words = wordsOf(def);
  return words.every((word) => typeof word === 'string') ? (words as string[]) : undefined;
}

function addField(
  fields: Map<string, TaggedField>,
  field: string,
  inner: ZodSchema,
  tags: readonly string[],
  path: string,
  conversion: Conversion,
): void {
  const place = `${path}.${field}`;
  const schema = convertField(field, inner, path, conversion);
  if (schema.default !== undefined) {
    const what = 'the API server would fill its default in for every tag';
    conversion.refuse(place, what, 'make it optional(), and fill the default in in the code');
  }
  const known = fields.get(field);
  if (known === undefined) fields.set(field, { schema, tags: [...tags] });
  else if (jsonEqual(known.schema, schema)) known.tags.push(...tags);
  else conversion.refuse(place, 'two options have it with different schemas', 'give one of them another name');
}

function exclusiveRule(
  tag: string,
  field: string,
  having: readonly string[],
  path: string,
  conversion: Conversion,
): JsonObject[] {
  const [tagName, fieldName] = [celName(tag), celName(field)];
  if (tagName === undefined || fieldName === undefined) {
    conversion.refuse(`${path}.${field}`, 'no rule in CEL can name the field', 'begin its name with a letter');
    return [];
  }
  return [
    {
      rule: `!has(self.${fieldName}) || self.${tagName} in [${having.map(celText).join(', ')}]`,
      message: `${field} is only for ${tag} ${having.join(' or ')}`,
    },
  ];
}
