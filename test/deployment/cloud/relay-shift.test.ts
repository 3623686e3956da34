import { describe, expect, it } from 'vitest';
import { dutyOf, RELIEF_MS, SHIFT_MS, shiftAt } from '../../../lib/deployment/cloud/relay-shift.ts';

const LAMBDA_LIMIT_MS = 15 * 60_000;

describe('shiftAt', () => {
  it('R-5.7 of the invocations that come each minute at least one is a relief, whenever in the minute they come', () => {
    for (let offset = 0; offset < 60_000; offset += 1_000) {
      const minutes = Array.from({ length: SHIFT_MS / 60_000 }, (_, minute) => shiftAt(offset + minute * 60_000));
      expect(minutes.filter(({ type }) => type === 'relief').length).toBeGreaterThanOrEqual(1);
    }
  });

  it('R-5.7 a relief may start when the shift before it ends, and ends with the next; a spare ends with its own', () => {
    expect(shiftAt(SHIFT_MS - RELIEF_MS)).toEqual({ type: 'relief', freeAtMs: SHIFT_MS, endsAtMs: 2 * SHIFT_MS });
    expect(shiftAt(SHIFT_MS - RELIEF_MS - 1)).toEqual({ type: 'spare', endsAtMs: SHIFT_MS });
    expect(shiftAt(SHIFT_MS)).toEqual({ type: 'spare', endsAtMs: 2 * SHIFT_MS });
  });

  it('R-5.7 no invocation is meant to last as long as Lambda lets it', () => {
    for (let nowMs = 0; nowMs < SHIFT_MS; nowMs += 1_000) {
      expect(shiftAt(nowMs).endsAtMs - nowMs).toBeLessThan(LAMBDA_LIMIT_MS - 60_000);
    }
  });
});

describe('dutyOf', () => {
  it('R-5.7 a relief waits until the lease of a holder that died has ended, and a little longer; a spare waits as long', () => {
    const nowMs = SHIFT_MS - 30_000;
    expect(dutyOf(shiftAt(nowMs), nowMs, 15_000)).toEqual({
      onlyFree: false,
      standsByUntilMs: SHIFT_MS + 15_000 + 10_000,
      endsAtMs: 2 * SHIFT_MS,
    });
    expect(dutyOf(shiftAt(5), 5, 15_000)).toEqual({ onlyFree: true, standsByUntilMs: 25_005, endsAtMs: SHIFT_MS });
  });
});
