import { isFields, valueAt } from '../value-at.ts';

const LABEL = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const VERSION = /^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/;
const A_VERSION = 'a version such as v1 or v1alpha1';
const RULES: readonly (readonly [field: string, expression: RegExp, what: string])[] = [
  [
    'group',
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/,
    'an API group with a dot, such as example.com',
  ],
  ['version', VERSION, A_VERSION],
  ['kind', /^[A-Z][A-Za-z0-9]{0,62}$/, 'a kind in CamelCase, such as Website'],
];

/** Fields that are lists of objects. */
const LISTS = ['columns', 'validations', 'versions'] as const;

/** The errors in the names of a kind's definition. One line for each, such as `kind Website: group ...`. */
export function definitionFaults(definition: Readonly<Record<string, unknown>>): string[] {
  const faults = RULES.flatMap(([field, expression, what]) => {
    const value = valueAt(definition, field);
    return typeof value === 'string' && expression.test(value) ? [] : [`${field}: must be ${what}.`];
  });
  const { plural, shortNames = [], scope } = definition;
  const isWord = (value: unknown) => typeof value === 'string' && LABEL.test(value);
  if (plural !== undefined && !isWord(plural)) faults.push('plural: must be lower-case letters, such as websites.');
  if (!Array.isArray(shortNames)) faults.push('shortNames: must be a list, such as [web].');
  else if (!shortNames.every(isWord)) faults.push('shortNames: must be lower-case letters each, such as web.');
  if (scope !== undefined && scope !== 'Namespaced' && scope !== 'Cluster') {
    faults.push("scope: must be 'Namespaced' or 'Cluster'.");
  }
  for (const field of LISTS) {
    const list = definition[field] ?? [];
    if (!Array.isArray(list) || !list.every(isFields)) faults.push(`${field}: must be a list of objects.`);
  }
  return [...faults, ...versionFaults(definition)];
}

function versionFaults({ version, versions }: Readonly<Record<string, unknown>>): string[] {
  const names = (Array.isArray(versions) ? versions : []).filter(isFields).map(({ name }) => name);
  return names.flatMap((name, index) => {
    if (typeof name !== 'string' || !VERSION.test(name)) return [`versions ${name}: must be ${A_VERSION}.`];
    const isTaken = name === version || names.indexOf(name) !== index;
    return isTaken ? [`versions ${name}: another version has this name; give each one its own.`] : [];
  });
}

/** The plural in lower case, by the rules of English. */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return `${word}s`;
}
