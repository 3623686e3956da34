import { jsonEqual } from '../../lib/core/json-merge.ts';
import type { JsonObject, JsonValue } from '../../lib/core/kube-object.ts';
import { isFields, listAt } from '../../lib/kit/value-at.ts';
import { escapedRule } from '../types/escaped-rule.ts';

/** What a new schema does to objects that the one before accepted. */
export interface SchemaChange {
  /** `removed`: the API server drops it. `tightened`: the API server may refuse the object. */
  readonly type: 'removed' | 'tightened';
  /** As a person writes it, e.g. `spec.hosts[]`. */
  readonly path: string;
  readonly what: string;
}

const LOW = ['minimum', 'minLength', 'minItems', 'minProperties'];
const HIGH = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
/** Keywords of which a new value may refuse what the one before took. */
const COMPARED = [
  'pattern',
  'format',
  'multipleOf',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'x-kubernetes-embedded-resource',
];
const OPEN = 'x-kubernetes-preserve-unknown-fields';

/** The changes from one structural schema to another that take something away from authors of objects. */
export function schemaChanges(before: JsonObject, after: JsonObject, path: string): SchemaChange[] {
  const [was, is] = [typeOf(before), typeOf(after)];
  // Without a type everything is taken.
  if (is === 'anything') return [];
  if (was !== is && !(was === 'a whole number' && is === 'a number')) {
    return [{ type: 'tightened', path, what: `it was ${was} and is ${is}` }];
  }
  const own = [...valueChanges(before, after), ...ruleChanges(before, after)];
  return [
    ...own.map((what): SchemaChange => ({ type: 'tightened', path, what })),
    ...fieldChanges(before, after, path),
    ...elementChanges(before, after, path),
  ];
}

function typeOf(schema: JsonObject): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'a whole number or a text';
  const names: Readonly<Record<string, string>> = { string: 'a text', integer: 'a whole number', number: 'a number' };
  const type = typeof schema.type === 'string' ? schema.type : '';
  return type === '' ? 'anything' : (names[type] ?? `of type ${type}`);
}

/** What of one value's keywords became stricter. */
function valueChanges(before: JsonObject, after: JsonObject): string[] {
  const words = listAt(after, 'enum');
  const gone = listAt(before, 'enum').filter((word) => !words.some((other) => jsonEqual(word, other)));
  const bounds = [...LOW, ...HIGH].filter((keyword) => isStricter(keyword, before[keyword], after[keyword]));
  const exclusive = ['exclusiveMinimum', 'exclusiveMaximum'].filter(
    (key) => after[key] === true && before[key] !== true,
  );
  const other = COMPARED.filter(
    (key) => after[key] !== undefined && !jsonEqual(before[key], after[key]) && !isEveryWhole(key, after),
  );
  return [
    ...(words.length > 0 && before.enum === undefined ? [`only ${words.map(shown).join(', ')} is allowed`] : []),
    ...(words.length > 0 && gone.length > 0 ? [`${gone.map(shown).join(', ')} is not allowed any more`] : []),
    ...[...bounds, ...exclusive, ...other].map((key) => `${key} was ${shown(before[key])} and is ${shown(after[key])}`),
    ...(before.nullable === true && after.nullable !== true ? ['null is not allowed any more'] : []),
    ...listTypeChanges(before, after),
  ];
}

/** Every whole number of the API server has 64 bits. */
function isEveryWhole(keyword: string, { type, format }: JsonObject): boolean {
  return keyword === 'format' && type === 'integer' && format === 'int64';
}

function isStricter(keyword: string, before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (typeof after !== 'number') return false;
  if (typeof before !== 'number') return !(LOW.includes(keyword) && keyword !== 'minimum' && after === 0);
  return LOW.includes(keyword) ? after > before : after < before;
}

/** A set and a map refuse what stands twice. */
function listTypeChanges(before: JsonObject, after: JsonObject): string[] {
  const keyword = 'x-kubernetes-list-type';
  const isUnique = after[keyword] === 'set' || after[keyword] === 'map';
  const isSame = before[keyword] === after[keyword];
  if (isUnique && !isSame) return [`${keyword} was ${shown(before[keyword])} and is ${shown(after[keyword])}`];
  const [keys, others] = [before, after].map((schema) => listAt(schema, 'x-kubernetes-list-map-keys'));
  return isUnique && !jsonEqual(keys, others) ? ['the keys of the list are others'] : [];
}

function ruleChanges(before: JsonObject, after: JsonObject): string[] {
  const texts = (schema: JsonObject) =>
    listAt(schema, 'x-kubernetes-validations')
      .filter(isFields)
      .map(({ rule }) => String(rule));
  const known = texts(before).map((rule) => escapedRule(rule, before));
  return texts(after)
    .filter((rule) => !known.includes(escapedRule(rule, after)))
    .map((rule) => `a new rule: ${rule}`);
}

function fieldChanges(before: JsonObject, after: JsonObject, path: string): SchemaChange[] {
  const [fields, others] = [propertiesOf(before), propertiesOf(after)];
  const isOpen = after[OPEN] === true || after.additionalProperties !== undefined;
  const removed = Object.keys(fields).filter((name) => !(name in others) && !isOpen);
  const known = listAt(before, 'required');
  const required = (listAt(after, 'required') as string[]).filter(
    (name) => !known.includes(name) && others[name]?.default === undefined,
  );
  const wasOpen = before[OPEN] === true || before.additionalProperties !== undefined;
  return [
    ...removed.map((name): SchemaChange => ({ type: 'removed', path: `${path}.${name}`, what: 'the field is gone' })),
    ...required.map((name): SchemaChange => ({ type: 'tightened', path: `${path}.${name}`, what: 'it is required' })),
    ...(wasOpen && !isOpen ? [{ type: 'removed', path, what: 'fields without a name in the schema' } as const] : []),
    ...Object.entries(fields).flatMap(([name, inner]) => {
      const other = others[name];
      return other === undefined ? [] : schemaChanges(inner, other, `${path}.${name}`);
    }),
  ];
}

/** The changes of a list's items and of a map's values. */
function elementChanges(before: JsonObject, after: JsonObject, path: string): SchemaChange[] {
  return [['items', '[]'] as const, ['additionalProperties', '.*'] as const].flatMap(([keyword, sign]) => {
    const [inner, other] = [before[keyword], after[keyword]];
    const isBoth = isFields(inner) && isFields(other);
    return isBoth ? schemaChanges(inner as JsonObject, other as JsonObject, `${path}${sign}`) : [];
  });
}

function propertiesOf(schema: JsonObject): Record<string, JsonObject> {
  return (schema.properties ?? {}) as Record<string, JsonObject>;
}

function shown(value: unknown): string {
  return value === undefined ? 'not there' : JSON.stringify(value);
}
