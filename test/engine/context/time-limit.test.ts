import { describe, expect, it } from 'vitest';
import { withinLimit } from '../../../lib/engine/context/time-limit.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

const failure = new Error('no');

describe('withinLimit', () => {
  it.each<[string, () => Promise<string>]>([
    [
      'throws at once',
      () => {
        throw failure;
      },
    ],
    ['returns a rejected promise', () => Promise.reject(failure)],
  ])('R-1.27 a call with a time limit rejects with its error and leaves no timer when it %s', async (_, call) => {
    const clock = new ManualClock();
    await expect(withinLimit(clock, new AbortController().signal, 1000, call)).rejects.toBe(failure);
    expect(clock.sleeping).toBe(0);
  });

  it('R-1.27 a call with a time limit resolves and leaves no timer when it ends in time', async () => {
    const clock = new ManualClock();
    await expect(withinLimit(clock, new AbortController().signal, 1000, async () => 'ok')).resolves.toBe('ok');
    expect(clock.sleeping).toBe(0);
  });
});
