import { describe, expect, it } from 'vitest';
import { DEFAULT_LEASE_TIMINGS, latestStartMs } from '../../../lib/core/lease.ts';
import { receiveWaitSeconds } from '../../../lib/engine/runtime/worker.ts';

describe('receiveWaitSeconds', () => {
  it.each([
    [{}, 13],
    [{ visibilityMs: 600_000 }, 20],
    [{ leaseMs: 6_000, visibilityMs: 12_000, clockSkewMs: 200 }, 2],
    [{ leaseMs: 2_000, visibilityMs: 4_500, clockSkewMs: 100 }, 1],
  ])('a message that arrives at the end of the wait is young enough to start: %j', (changes, seconds) => {
    const timings = { ...DEFAULT_LEASE_TIMINGS, ...changes };
    expect(receiveWaitSeconds(timings)).toBe(seconds);
    expect(seconds * 1_000).toBeLessThan(latestStartMs(timings, 0));
  });
});
