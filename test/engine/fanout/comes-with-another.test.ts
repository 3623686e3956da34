import { describe, expect, it } from 'vitest';
import { comesWithAnother } from '../../../lib/engine/fanout/comes-with-another.ts';
import { SECRET, seen } from './fanout-fixture.ts';

const SET_AT_MS = 1_000_000;
const DUE_AT_MS = SET_AT_MS + 10_000;
const DELAYED = { round: 5, setAtMs: SET_AT_MS, dueAtMs: DUE_AT_MS, bulk: false };
const MARKER = { key: SECRET, ...seen(7), round: 5, delayed: DELAYED };
const WATCHED = { key: SECRET, bulk: false, dueAt: undefined };
const LISTED = { ...WATCHED, bulk: true };
const UNDER_WAY_MS = SET_AT_MS + 1;

describe('a request for a round', () => {
  it.each([
    ['a delayed message is under way', MARKER, WATCHED, UNDER_WAY_MS, true],
    ['another delayed message was recorded later', MARKER, { ...WATCHED, dueAt: DUE_AT_MS - 1 }, UNDER_WAY_MS, true],
    ['the first half of the wait ends', MARKER, WATCHED, SET_AT_MS + 4_999, true],
    ['the second half of the wait has begun', MARKER, WATCHED, SET_AT_MS + 5_000, false],
    ['it is itself the delayed message', MARKER, { ...WATCHED, dueAt: DUE_AT_MS }, UNDER_WAY_MS, false],
    ['nothing was put off', { ...MARKER, delayed: undefined }, WATCHED, UNDER_WAY_MS, false],
    ['a round has begun since', { ...MARKER, round: 6 }, WATCHED, UNDER_WAY_MS, false],
    ['the clock is a little behind', MARKER, WATCHED, SET_AT_MS - 4_999, true],
    ['the clock is far behind', MARKER, WATCHED, SET_AT_MS - 600_000, false],
    ['the clock is far ahead', MARKER, WATCHED, SET_AT_MS + 600_000, false],
    ['both are for listed changes', { ...MARKER, delayed: { ...DELAYED, bulk: true } }, LISTED, UNDER_WAY_MS, true],
    ['it is for a listed change, and the other one is not', MARKER, LISTED, UNDER_WAY_MS, true],
    [
      'only the other one is for a listed change',
      { ...MARKER, delayed: { ...DELAYED, bulk: true } },
      WATCHED,
      UNDER_WAY_MS,
      false,
    ],
  ] as const)(
    'R-5.17 R-1.29 request is left to the delayed message or not when %s',
    (_, marker, asked, nowMs, isLeft) => {
      const { delayed, ...rest } = marker;
      expect(comesWithAnother({ ...rest, ...(delayed !== undefined && { delayed }) }, asked, nowMs)).toBe(isLeft);
    },
  );
});
