import { describe, expect, it } from 'vitest';
import { deadlineLengthMs, dueAtByThisClock, isSetByWrongClock } from '../../lib/core/deadline.ts';
import { isLeaseExpired } from '../../lib/core/lease.ts';
import { isBreakerOpen } from '../../lib/engine/breaker/is-breaker-open.ts';
import { UnchangedRecord } from '../../lib/engine/unchanged-record.ts';

const TERMS = { leaseMs: 30_000, clockSkewMs: 4_000 };

describe('isLeaseExpired', () => {
  it.each([
    ['ends now', 0, false],
    ['ended a millisecond ago', -1, true],
    ['was just taken', 30_000, false],
    ['was just taken by a clock that is ahead by what is tolerated', 34_000, false],
    ['was taken by a clock that is ahead by more', 34_001, true],
    ['was taken ten minutes before the clock was set back by ten minutes', 630_000, true],
  ])('R-1.29 a lease that %s', (_what, inMs, over) => {
    expect(isLeaseExpired(1_000_000 + inMs, 1_000_000, TERMS)).toBe(over);
  });
});

describe('dueAtByThisClock', () => {
  const deadline = { dueAtMs: 1_000_700, dueSetAtMs: 1_000_000 };

  it.each([
    ['stands by the clock that set it', 1_000_000, undefined],
    ['stands by a clock that is behind by what is tolerated', 996_000, undefined],
    ['is moved to its length from now by one that is behind by more', 995_999, 996_699],
    ['is moved to its length from now by one that was set back by ten minutes', 400_000, 400_700],
    ['stands by a clock that is ahead', 1_600_000, undefined],
  ])('R-1.29 a deadline %s', (_what, nowMs, movedAtMs) => {
    expect(dueAtByThisClock(deadline, nowMs, 4_000)).toBe(movedAtMs);
  });

  it('R-6.8 a timer without the time at which it was set stays, for any time of the clock', () => {
    expect(dueAtByThisClock({ dueAtMs: 1_000_700 }, 0, 4_000)).toBeUndefined();
    expect(isSetByWrongClock({ dueAtMs: 1_000_700 }, 0, 4_000)).toBe(false);
    expect(deadlineLengthMs({ dueAtMs: 1_000_700 })).toBeUndefined();
  });

  it('R-1.29 a deadline that had passed when it was set has no length', () => {
    expect(deadlineLengthMs({ dueAtMs: 5, dueSetAtMs: 9 })).toBe(0);
  });
});

describe('isBreakerOpen', () => {
  it.each([
    ['never opened', undefined, false],
    ['open for ten seconds more', 10_000, true],
    ['open until now', 0, false],
    ['open for longer than it ever is', 120_001, false],
  ])('R-1.29 a breaker that is %s', (_what, inMs, open) => {
    expect(isBreakerOpen(inMs === undefined ? undefined : 500_000 + inMs, 500_000)).toBe(open);
  });
});

describe('UnchangedRecord', () => {
  it('R-1.29 counts from when the answer came, to when it was last asked for', () => {
    const seen = new UnchangedRecord();
    expect(seen.see('a', 100, 110)).toBe(0);
    expect(seen.see('a', 150, 190)).toBe(40);
    expect(seen.see('b', 200, 210)).toBe(0);
    expect(seen.see('b', 205, 215)).toBe(0);
    expect(seen.see('a', 300, 310)).toBe(0);
    expect(seen.changes).toBe(2);
  });
});
