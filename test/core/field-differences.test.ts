import { describe, expect, it } from 'vitest';
import { fieldDifferences, pathText } from '../../lib/core/field-differences.ts';
import { SecretValues } from '../../lib/plan/changes/secret-values.ts';

function paths(before: unknown, after: unknown): string[] {
  return fieldDifferences(before, after).map(({ path }) => pathText(path));
}

describe('the fields that differ', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['a value', { spec: { a: 1, b: 2 } }, { spec: { a: 1, b: 3 } }, ['spec.b']],
    ['an absent field', { spec: {} }, { spec: { a: { b: 1, c: 2 } } }, ['spec.a.b', 'spec.a.c']],
    ['a removed field', { data: { a: 'x' } }, {}, ['data.a']],
    [
      'an element by its name',
      { l: [{ name: 'a', v: 1 }] },
      {
        l: [
          { name: 'b', v: 1 },
          { name: 'a', v: 2 },
        ],
      },
      ['l[name=a].v', 'l[name=b].name', 'l[name=b].v'],
    ],
    ['a condition by its type', { l: [{ type: 'A', s: 1 }] }, { l: [{ type: 'A', s: 2 }] }, ['l[type=A].s']],
    ['an element by its place', { l: [1, 2] }, { l: [1, 3] }, ['l[1]']],
    ['an empty object in a spec', { spec: { a: {} } }, { spec: {} }, ['spec.a']],
    ['an empty object in a status', { status: { a: {}, b: [] } }, { status: {} }, []],
    ['null', { spec: { a: null } }, { spec: {} }, []],
    [
      'what the server writes',
      { metadata: { generation: 1, labels: { a: 'b' } } },
      { metadata: { generation: 2, labels: { a: 'b' } } },
      [],
    ],
    ['a field named like a method', { spec: {} }, { spec: { constructor: 1 } }, ['spec.constructor']],
  ])('R-6.11 comparison finds the paths when %s differs', (_, before, after, found) => {
    expect(paths(before, after).sort()).toEqual(found);
  });
});

describe('the values of Secrets', () => {
  const values = new SecretValues();
  values.add({ data: { long: Buffer.from('line one\nsecond-line\n').toString('base64'), short: 'eHl6' } });

  it.each<[unknown, boolean]>([
    ['a line one b', true],
    ['second-line', true],
    [{ deep: ['x', { y: 'https://second-line@host' }] }, true],
    [{ 'second-line': 1 }, true],
    [Buffer.from('line one\nsecond-line\n').toString('base64'), true],
    ['xyz', true],
    ['wxyza', false],
    ['second', false],
    [[0, true, null, undefined], false],
  ])('R-1.24 value %j is found to show a Secret: %s', (value, found) => {
    expect(values.isIn(value)).toBe(found);
  });
});
