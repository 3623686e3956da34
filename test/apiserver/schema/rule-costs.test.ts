import { describe, expect, it } from 'vitest';
import { definitionIssues, definitionUpdateIssues } from '../../../lib/apiserver/definitions/definition-issues.ts';
import type { JsonObject } from '../../../lib/apiserver/json.ts';
import { compileSchema } from '../../../lib/apiserver/schema/schema.ts';
import { costRows, inList, onFields, togetherTooMuch } from './cost-rows.ts';

// The conformance suite compares every row with the real API server. These are the numbers that it returned.

function costsOf(field: JsonObject): number[] {
  return compileSchema({ type: 'object', properties: { spec: field } }).costs.map(({ cost }) => cost);
}

function definition(spec: JsonObject): JsonObject {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return {
    metadata: { name: 'shelves.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'shelves', singular: 'shelf', kind: 'Shelf', listKind: 'ShelfList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

describe('the cost of a rule', () => {
  it.each<[rule: string, cost: number]>([
    ['self.count < 5 && self.on', 5],
    ["self.name == 'a'", 3],
    ["self.name.matches('^[a-z]+$')", 2 + 17 * 2],
    ['self.text.contains(self.text)', 4 + 314_573 * 314_573],
    ["self.names.all(n, n == 'a')", 2 + 1 + 60 * (3 + 1 + 1)],
    ["self.names.map(n, n + 'a').size() == 60", 2 + 11 + 60 * (12 + 1 + 17) + 1 + 1],
    ["self.labels.exists(k, k == 'a')", 2 + 1 + 30 * (4 + 1)],
    ['has(self.name) || has(self.text)', 2],
  ])('R-6.9 %s is estimated by the bounds of the schema', (rule, cost) => {
    expect(costsOf(onFields(rule))).toEqual([cost]);
  });

  it('R-6.9 a rule in a list is estimated for each item that the list may have', () => {
    const [once = 0] = costsOf(onFields('self.count > 1'));
    expect(costsOf(inList('self.count > 1', 1_000))).toEqual([once * 1_000]);
    // An item is at least {} and a comma, in a request of 3 MiB.
    expect(costsOf(inList('self.count > 1'))).toEqual([once * 1_048_576]);
  });

  it('R-6.9 an estimate names the fields that have no bound, of the rule and of the lists around it', () => {
    const missing = (field: JsonObject) =>
      compileSchema({ type: 'object', properties: { spec: field } }).costs.flatMap((each) =>
        each.missing.map(({ field: name, keyword }) => `${name} ${keyword}`).sort(),
      );
    expect(missing(onFields("self.name.matches('a')"))).toEqual([]);
    expect(missing(onFields("self.text.matches('a')"))).toEqual(['spec.text maxLength']);
    expect(missing(onFields("self.texts.all(t, t == 'a')"))).toEqual([
      'spec.texts maxItems',
      'spec.texts[*] maxLength',
    ]);
    expect(missing(onFields('self.notes.all(n, self.notes[n].matches("a"))'))).toEqual([
      'spec.notes maxProperties',
      'spec.notes[*] maxLength',
    ]);
    expect(missing(inList("self.text == 'a'"))).toEqual(['spec maxItems', 'spec[*].text maxLength']);
  });
});

describe('a definition whose rules cost too much', () => {
  const expensive = onFields("self.texts.all(t, t.matches('^[a-z]+$'))");
  const tooOften = inList("self.name.matches('^[a-z]+$')", 400_000);

  it('R-6.9 is refused with the factor by which a rule is over the limit', () => {
    expect(definitionIssues(definition(tooOften))).toMatchObject([
      {
        path: 'spec.validation.openAPIV3Schema.properties[spec].items.x-kubernetes-validations[0].rule',
        reason: 'FieldValueForbidden',
        message: expect.stringContaining('estimated rule cost exceeds budget by factor of 1.440000x'),
      },
    ]);
    expect(definitionIssues(definition(expensive))[0]?.message).toContain('more than 100x');
  });

  it('R-6.9 is refused when its rules cost too much together, and no rule does alone', () => {
    expect(definitionIssues(definition(togetherTooMuch)).map(({ message }) => message)).toEqual([
      ...Array.from({ length: 4 }, () => expect.stringContaining('contributed to estimated rule cost total')),
      expect.stringContaining('estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.2'),
    ]);
  });

  it('R-6.8 stays valid when another part of it changes and the schema of its version does not', () => {
    const stored = definition(tooOften);
    const renamed = structuredClone(stored) as { spec: { names: JsonObject } };
    renamed.spec.names.shortNames = ['shf'];
    expect(definitionUpdateIssues(renamed as unknown as JsonObject, stored)).toEqual([]);
    expect(definitionUpdateIssues(stored, definition(onFields('self.on')))).toHaveLength(1);
  });

  it('R-6.9 every rule of the table has an estimate', () => {
    for (const [, field] of costRows) expect(Math.min(...costsOf(field))).toBeGreaterThan(0);
  });
});
