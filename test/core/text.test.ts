import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeConditions } from '../../lib/core/conditions.ts';
import { cutToCodePoints, cutToUtf8Bytes } from '../../lib/core/text.ts';

const FAMILY = '👨‍👩‍👧';
const anyText = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', '\ud83d', '\ude00') });

describe('text that is cut', () => {
  it.each<[string, number, string]>([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['漢字仮名', 3, '漢字仮'],
    ['ab😀d', 3, 'ab😀'],
    ['😀😀', 1, '😀'],
    [FAMILY, 1, '👨'],
    ['a\ud83d', 5, 'a\ufffd'],
    ['abc', 0, ''],
  ])('R-1.33 %j has %i code points at most when the limit counts code points', (text, max, cut) => {
    expect(cutToCodePoints(text, max)).toBe(cut);
  });

  it.each<[string, number, string]>([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['漢字', 6, '漢字'],
    ['漢字', 5, '漢'],
    ['é', 1, ''],
    ['a😀', 4, 'a'],
    ['a😀', 5, 'a😀'],
    ['\ude00b', 3, '\ufffd'],
  ])('R-1.33 %j has %i bytes at most when the limit counts bytes', (text, max, cut) => {
    expect(cutToUtf8Bytes(text, max)).toBe(cut);
  });

  it('R-1.33 every cut is a whole beginning of the text, as long as the limit allows', () => {
    fc.assert(
      fc.property(anyText, fc.nat(20), (text, max) => {
        const whole = text.toWellFormed();
        for (const [cut, size] of [
          [cutToCodePoints(text, max), (part: string) => [...part].length],
          [cutToUtf8Bytes(text, max), (part: string) => Buffer.byteLength(part)],
        ] as const) {
          expect(whole.startsWith(cut)).toBe(true);
          expect(cut.isWellFormed()).toBe(true);
          expect(size(cut)).toBeLessThanOrEqual(max);
          const next = [...whole].slice(0, [...cut].length + 1).join('');
          if (next !== cut) expect(size(next)).toBeGreaterThan(max);
        }
      }),
    );
  });

  it.each([
    ['a surrogate pair at the limit', `${'x'.repeat(511)}😀y`, `${'x'.repeat(511)}😀`],
    ['pairs only', '😀'.repeat(600), '😀'.repeat(512)],
    ['a lone surrogate', 'x\ud83d', 'x\ufffd'],
  ])('R-1.33 a condition message holds 512 code points when it has %s', (_, message, cut) => {
    const input = { type: 'Ready', status: 'False' as const, reason: 'Any', message };
    expect(mergeConditions([], [input], 1, 0)[0]?.message).toBe(cut);
  });
});
