import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../../../lib/adapters/system/system-entropy.ts';

describe('SystemClock', () => {
  it('a sleep of no time ends', async () => {
    await expect(new SystemClock().sleep(0)).resolves.toBeUndefined();
    await expect(new SystemClock().sleep(-5)).resolves.toBeUndefined();
  });

  it("an aborted sleep rejects with the signal's reason", async () => {
    const reason = new Error('stop');
    const controller = new AbortController();
    const sleeping = new SystemClock().sleep(600_000, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    await expect(new SystemClock().sleep(0, controller.signal)).rejects.toBe(reason);
  });
});

describe('the monotonic reading', () => {
  it('R-1.29 the monotonic clock advances during a sleep, never goes back, and is not epoch time', async () => {
    const clock = new SystemClock();
    const before = clock.monotonic();
    await clock.sleep(2);
    expect(clock.monotonic()).toBeGreaterThan(before);
    expect(clock.monotonic()).toBeLessThan(1_600_000_000_000);
  });
});

describe('SystemEntropy', () => {
  it('SystemEntropy returns numbers in [0, 1) and different URL-safe ids of at most 36 characters', () => {
    const entropy = new SystemEntropy();
    const ids = new Set(Array.from({ length: 100 }, () => entropy.id()));
    expect(ids.size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,36}$/);
    expect(entropy.random()).toBeGreaterThanOrEqual(0);
    expect(entropy.random()).toBeLessThan(1);
  });
});
