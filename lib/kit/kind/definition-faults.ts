import { valueAt } from '../value-at.ts';

const LABEL = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const RULES: readonly (readonly [field: string, expression: RegExp, what: string])[] = [
  [
    'group',
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/,
    'an API group with a dot, such as example.com',
  ],
  ['version', /^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/, 'a version such as v1 or v1alpha1'],
  ['kind', /^[A-Z][A-Za-z0-9]{0,62}$/, 'a kind in CamelCase, such as Website'],
];

/** What of a kind's definition is no name, apart from its schemas. One line for each, as `kind Website: group ...`. */
export function definitionFaults(definition: unknown): string[] {
  const faults = RULES.flatMap(([field, expression, what]) => {
    const value = valueAt(definition, field);
    return typeof value === 'string' && expression.test(value) ? [] : [`${field}: must be ${what}.`];
  });
  const {
    plural,
    shortNames = [],
    scope,
  } = definition as { plural?: unknown; shortNames?: unknown[]; scope?: unknown };
  const isWord = (value: unknown) => typeof value === 'string' && LABEL.test(value);
  if (plural !== undefined && !isWord(plural)) faults.push('plural: must be lower-case letters, such as websites.');
  if (!shortNames.every(isWord)) faults.push('shortNames: must be lower-case letters each, such as web.');
  if (scope !== undefined && scope !== 'Namespaced' && scope !== 'Cluster') {
    faults.push("scope: must be 'Namespaced' or 'Cluster'.");
  }
  return faults;
}

/** The plural in lower case, by the rules of English. */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return `${word}s`;
}
