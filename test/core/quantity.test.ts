import { describe, expect, it } from 'vitest';
import { parseQuantity, quantityNanos } from '../../lib/core/quantity.ts';

const NANO = 1_000_000_000n;

describe('quantities', () => {
  it.each([
    ['1', NANO],
    ['0', 0n],
    ['20Gi', 20n * 1024n ** 3n * NANO],
    ['1.5Gi', 1536n * 1024n ** 2n * NANO],
    ['1500M', 1_500_000_000n * NANO],
    ['1e9', 1_000_000_000n * NANO],
    ['1E3', 1_000n * NANO],
    ['1E', 10n ** 18n * NANO],
    ['500m', NANO / 2n],
    ['.5', NANO / 2n],
    ['5.', 5n * NANO],
    ['0.1n', 1n],
    ['-1Ki', -1024n * NANO],
    ['+2', 2n * NANO],
  ])('%s', (text, nanos) => {
    expect(quantityNanos(text)).toBe(nanos);
  });

  it.each(['', 'large', '1 Gi', '1gi', '1KiB', '1e', '--1', '1.2.3', '.', 'Gi', '1e999', `1${'0'.repeat(40)}`, 'NaN'])(
    '%j is none',
    (text) => {
      expect(quantityNanos(text)).toBeUndefined();
    },
  );

  it.each([
    ['1Gi', 'binary'],
    ['1G', 'decimal'],
    ['500m', 'decimal'],
    ['3', 'decimal'],
    ['1E', 'decimal'],
    ['1E3', 'exponent'],
    ['1e-3', 'exponent'],
  ])('%s is written in %s form', (text, form) => {
    expect(parseQuantity(text)?.form).toBe(form);
  });

  it('what is finer than a billionth is rounded away from zero', () => {
    expect(quantityNanos('0.0000000001')).toBe(1n);
    expect(quantityNanos('-0.0000000001')).toBe(-1n);
    expect(quantityNanos('1.0000000000001Gi')).toBe(1024n ** 3n * NANO + 107_375n);
  });

  it('R-1.6 a text without end is none, and is not searched', () => {
    expect(quantityNanos(`${'1'.repeat(1_000_000)}x`)).toBeUndefined();
  });
});
