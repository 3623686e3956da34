import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { costLines } from '../../../cli/definition-costs.ts';
import { examineDefinitions } from '../../../cli/wiring-definitions.ts';
import { defineKind, type KindValidation } from '../../../lib/index.ts';

function linesOf(spec: z.ZodType, validations: readonly KindValidation[]): string[] {
  const { definition } = defineKind({
    group: 'example.com',
    version: 'v1',
    kind: 'Shelf',
    plural: 'shelves',
    spec,
    validations,
  });
  return costLines(examineDefinitions([definition]).costs);
}

const unique = { rule: 'self.books.all(b, self.books.exists_one(o, o == b))', message: 'books must be unique' };

describe('the cost of the rules of a kind', () => {
  it('R-6.9 the share of the limit is shown when every rule is cheap enough', () => {
    const spec = z.object({ books: z.array(z.string().max(20)).max(50) });
    // Each of 50 items is compared with 50, at 13 units each, and the loop costs 10.
    expect(linesOf(spec, [unique])).toEqual([
      'shelves.example.com v1: rules use less than 0.1 % of the cost that the API server allows, and the most expensive one 0.3 % of its own',
    ]);
  });

  it('R-6.9 the fields to bound are named when a rule costs too much', () => {
    expect(() => linesOf(z.object({ books: z.array(z.string()) }), [unique])).toThrow(
      'shelves.example.com v1: a rule of spec costs more than 100 times the limit: self.books.all(b, self.books.exists_one(o, o == b)). Give a bound to spec.books (maxItems), spec.books[*] (maxLength).',
    );
  });

  it('R-6.9 a simpler rule is asked for when every field has a bound', () => {
    const spec = z.object({ books: z.array(z.string().max(1_000)).max(600) });
    expect(() => linesOf(spec, [unique])).toThrow('Compare less, or lower the bounds of what it reads.');
  });

  it('R-6.9 nothing is shown when a kind has no rule', () => {
    expect(linesOf(z.object({ books: z.array(z.string()) }), [])).toEqual([]);
  });

  it('R-6.9 the fault is named when a rule does not compile', () => {
    const validations = [{ rule: 'self.pages > 1', message: 'no' }];
    const { definition } = defineKind({
      group: 'example.com',
      version: 'v1',
      kind: 'Shelf',
      plural: 'shelves',
      spec: z.object({}),
      validations,
    });
    expect(examineDefinitions([definition]).faults[0]).toMatch(
      /^shelves.example.com: openAPIV3Schema.properties\[spec\].x-kubernetes-validations\[0\].rule: .*undefined field 'pages'/,
    );
  });
});
