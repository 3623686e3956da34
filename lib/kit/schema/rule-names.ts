import type { JsonObject } from '../../core/kube-object.ts';
import { isFields, listAt } from '../value-at.ts';
import { celName, isReserved } from './cel-name.ts';

/** Words that are values or operators wherever a rule has them. */
const OPERATORS = new Set(['true', 'false', 'null', 'in']);
/** Texts in quotes, comments and numbers: what they contain names nothing. */
const NO_NAMES =
  /[bBrR]{0,2}("""[\s\S]*?"""|'''[\s\S]*?'''|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])*')|\/\/[^\n]*|\b\d[\w.]*/g;
const WORD = /(?<dot>\.\s*\??\s*)?\b(?<word>[A-Za-z_]\w*)/g;

/** A name that the API server does not take in this place, and what a rule writes instead. */
export interface RefusedName {
  readonly name: string;
  /** Undefined for a variable: any other name will do. */
  readonly instead: string | undefined;
}

/** The rule with spaces in place of what names nothing. Its length stays the same. */
export function codeOf(rule: string): string {
  return rule.replaceAll(NO_NAMES, (part) => ' '.repeat(part.length));
}

/**
 * The names in a rule that the API server refuses, or that older ones refuse: CEL reserves some words, and has names of
 * letters, digits and single underscores only (Kubernetes: "Validation rules", escaping).
 * @param fields the fields that the rule can read. A key of a map has no other name.
 */
export function refusedNames(rule: string, fields: ReadonlySet<string>): RefusedName[] {
  const code = codeOf(rule);
  const found = new Map<string, string | undefined>();
  for (const { groups } of code.matchAll(WORD)) {
    const { dot, word = '' } = groups ?? {};
    const instead = celName(word);
    if (dot === undefined && isReserved(word) && !OPERATORS.has(word)) found.set(word, undefined);
    if (dot !== undefined && fields.has(word) && instead !== word) found.set(word, instead);
  }
  for (const field of fields) {
    const instead = celName(field);
    const [first = ''] = field.split(/\W/);
    // Without these signs it is a word. A field of the first part alone would make the rest an operation or a field of that.
    if (/^\w*$/.test(field) || instead === undefined || fields.has(first)) continue;
    const spelled = field.replaceAll(/[.\\/-]/g, '\\$&');
    if (new RegExp(`\\.\\s*${spelled}(?![\\w-])`).test(code)) found.set(field, instead);
  }
  return [...found].map(([name, instead]) => ({ name, instead }));
}

/**
 * The faults of all rules in a structural schema.
 * @param path how messages name the schema: `spec`.
 */
export function ruleNameFaults(schema: JsonObject, path: string): string[] {
  const { properties, items, additionalProperties } = schema;
  const below = [
    ...Object.entries(isFields(properties) ? properties : {}).map(
      ([name, inner]) => [inner, `${path}.${name}`] as const,
    ),
    [items, `${path}[]`] as const,
    [additionalProperties, `${path}.*`] as const,
  ];
  const own = listAt(schema, 'x-kubernetes-validations').flatMap((rule) => nameFaults(rule, fieldsOf(schema), path));
  return [
    ...own,
    ...below.flatMap(([inner, place]) => (isFields(inner) ? ruleNameFaults(inner as JsonObject, place) : [])),
  ];
}

/** The faults of one rule: of its condition, and of the expression of its message. */
export function nameFaults(rule: unknown, fields: ReadonlySet<string>, path: string): string[] {
  if (!isFields(rule)) return [];
  return ['rule', 'messageExpression'].flatMap((part) => {
    const text = rule[part];
    if (typeof text !== 'string') return [];
    return refusedNames(text, fields).map(({ name, instead }) =>
      instead === undefined
        ? `${path}: its ${part} names a variable ${name}, a word that CEL reserves; give the variable another name.`
        : `${path}: its ${part} names the field ${name}, which CEL cannot read so; write ${instead} instead, as in self.${instead}.`,
    );
  });
}

/** All fields of a schema, at any depth. */
export function fieldsOf(schema: JsonObject, found: Set<string> = new Set()): ReadonlySet<string> {
  const { properties, items, additionalProperties } = schema;
  for (const [name, inner] of Object.entries(isFields(properties) ? properties : {})) {
    found.add(name);
    if (isFields(inner)) fieldsOf(inner as JsonObject, found);
  }
  for (const inner of [items, additionalProperties]) if (isFields(inner)) fieldsOf(inner as JsonObject, found);
  return found;
}
