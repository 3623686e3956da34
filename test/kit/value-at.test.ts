import { describe, expect, it } from 'vitest';
import { isFields, listAt, textAt, valueAt } from '../../lib/kit/value-at.ts';

const OBJECT = { a: { b: 'text', list: [1, 2], none: null } };

describe('fields of an object that came from outside', () => {
  it.each<[string[], unknown]>([
    [['a', 'b'], 'text'],
    [['a', 'none'], null],
    [['a', 'missing', 'deeper'], undefined],
    [['a', 'b', 'length'], undefined],
    [['constructor'], undefined],
    [['a', 'toString'], undefined],
    [[], OBJECT],
  ])('valueAt finds what lies under %j', (path, expected) => {
    expect(valueAt(OBJECT, ...path)).toEqual(expected);
  });

  it('textAt and listAt find nothing when the value is of another type', () => {
    expect([textAt(OBJECT, 'a', 'b'), textAt(OBJECT, 'a', 'list'), textAt(null, 'a')]).toEqual([
      'text',
      undefined,
      undefined,
    ]);
    expect([listAt(OBJECT, 'a', 'list'), listAt(OBJECT, 'a', 'b'), listAt(7, 'a')]).toEqual([[1, 2], [], []]);
  });

  it('isFields is true for a JSON object alone', () => {
    expect([{}, [], null, 'a', 1, undefined].map(isFields)).toEqual([true, false, false, false, false, false]);
  });
});
