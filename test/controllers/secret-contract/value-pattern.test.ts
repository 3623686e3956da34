import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../lib/controllers/secret-contract/value-pattern.ts';

function matches(expression: string, text: string): boolean {
  const compiled = compilePattern(expression);
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.pattern.matches(text);
}

describe('a pattern', () => {
  it.each([
    ['a', 'ba', false],
    ['a', 'ab', false],
    ['a|ab', 'ab', true],
    ['[a-z]+', 'abc\n', false],
    ['(?i)token', 'TOKEN', true],
    ['.{3}', 'a€b', true],
    ['.', '😀', true],
    ['', '', true],
    ['\\d{2,3}', '1234', false],
  ])('R-2.10 %s on the whole of "%s" is %s', (expression, text, expected) => {
    expect(matches(expression, text)).toBe(expected);
  });

  it.each(['(', 'a**', '[z-a]', '(?<=a)b', '(a)\\1', 'a{1001}', '(((a{0,500}){0,500}){0,500})'])(
    'R-6.4 %s is refused with the reason',
    (expression) => {
      expect(compilePattern(expression)).toEqual({ ok: false, problem: expect.stringMatching(/\w/) });
    },
  );

  it('R-1.6 nested repetition takes no exponential time', () => {
    expect(matches('(a+)+b', 'a'.repeat(100_000))).toBe(false);
  });

  it('R-1.6 its cost grows with the value and with the repetitions written', () => {
    const cost = (expression: string, length: number) => {
      const compiled = compilePattern(expression);
      return compiled.ok ? compiled.pattern.steps(length) : Number.NaN;
    };
    expect(cost('a{500}', 1_000)).toBeGreaterThan(100 * cost('a', 1_000));
    expect(cost('a', 10_000)).toBeGreaterThan(9 * cost('a', 1_000));
  });
});
