import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../lib/adapters/http/retry-after.ts';

const now = Date.UTC(2026, 10, 29, 12, 0, 0);

describe('R-5.14 Retry-After', () => {
  it.each([
    ['1', 1_000],
    [' 30 ', 30_000],
    ['0', 0],
    ['Sun, 29 Nov 2026 12:01:30 GMT', 90_000],
    ['Sunday, 29-Nov-26 12:01:30 GMT', 90_000],
    ['Sun, 29 Nov 2026 11:59:00 GMT', 0],
  ])('parseRetryAfter reads %j as %i ms', (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });

  it.each([undefined, '', '-1', '1.5', 'soon', 'Wednesday', '99999999999999999999', '2026-11-29', 'Foo, 99 Bar: baz'])(
    'parseRetryAfter reads %j as no delay',
    (header) => {
      expect(parseRetryAfter(header, now)).toBeUndefined();
    },
  );
});
