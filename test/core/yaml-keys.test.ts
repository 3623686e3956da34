import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { repeatedYamlKey } from '../../lib/core/yaml-keys.ts';

const repeatedIn = (text: string) => repeatedYamlKey(parseDocument(text, { uniqueKeys: false }).contents);

describe('keys that stand twice', () => {
  it.each([
    ['a: 1\na: 2', 'a', 5],
    ['"a": 1\na: 2', 'a', 7],
    ['{a, b, a}', 'a', 7],
    ['? a\n? a', 'a', 6],
    ['null: 1\n~: 2', 'null', 8],
    ['1: a\n0x1: b', '1', 5],
    ['x: {b: 1, b: 2}\nc: 1\nc: 2', 'b', 10],
    ['c: 1\nx:\n  - {d: [{e: 1, e: 2}]}\nc: 2', 'e', 24],
    ['? {a: 1, a: 2}\n: 1', 'a', 9],
    ['<<: {a: 1}\n<<: {b: 1}', '<<', 11],
  ])('R-5.24 the first one is found in %j', (text, key, offset) => {
    expect(repeatedIn(text)).toEqual({ key, offset });
    // The library's own result. It compares each key with every other.
    const [error] = parseDocument(text).errors;
    expect(error?.code).toBe('DUPLICATE_KEY');
    expect(error?.pos[0]).toBe(offset);
  });

  it.each([
    '',
    'a',
    'a: 1\nb: {a: 1}',
    '- a: 1\n- a: 1',
    '1: a\n"1": b',
    '? [a]\n? [a]',
    '&a x: 1\n*a : 2',
    '[a, a]',
    '1: a\n1.5: b',
  ])('R-5.24 none is found in %j', (text) => {
    expect(repeatedIn(text)).toBeUndefined();
    expect(parseDocument(text).errors).toEqual([]);
  });
});
