import { describe, expect, it } from 'vitest';
import { parseRfc3339 } from '../../../lib/controllers/secret-contract/rfc3339.ts';

describe('an RFC 3339 time', () => {
  it.each([
    ['2026-07-01T00:00:00Z', Date.UTC(2026, 6, 1)],
    ['2024-02-29T23:59:59.5Z', Date.UTC(2024, 1, 29, 23, 59, 59, 500)],
    ['2026-07-01T02:00:00+02:00', Date.UTC(2026, 6, 1)],
    ['2026-06-30T18:30:00-05:30', Date.UTC(2026, 6, 1)],
  ])('R-2.5 %s is read', (text, ms) => {
    expect(parseRfc3339(text)).toBe(ms);
  });

  it.each([
    '',
    'yesterday',
    '2026-07-01',
    '2026-07-01T00:00:00',
    '2026-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-07-00T00:00:00Z',
    '2026-07-01T24:00:00Z',
    '2026-07-01T00:60:00Z',
    '2026-07-01T00:00:60Z',
    '2026-07-01T00:00:00+24:00',
    ' 2026-07-01T00:00:00Z',
    '1900-02-29T00:00:00Z',
  ])('R-2.5 "%s" is none', (text) => {
    expect(parseRfc3339(text)).toBeUndefined();
  });
});
