import { describe, expect, it } from 'vitest';
import { ManualClock } from './manual-clock.ts';
import { SeededEntropy } from './seeded-entropy.ts';

describe('ManualClock', () => {
  it('wakes sleepers in the order of their times, each at its own time', async () => {
    const clock = new ManualClock(1_000);
    const woken: string[] = [];
    const nap = async (name: string, ms: number) => {
      await clock.sleep(ms);
      woken.push(`${name}@${clock.now()}`);
    };
    void nap('late', 300).then(() => nap('again', 50));
    void nap('early', 100);
    await clock.advance(299);
    expect(woken).toEqual(['early@1100']);
    await clock.advance(100);
    expect(woken).toEqual(['early@1100', 'late@1300', 'again@1350']);
    expect(clock.now()).toBe(1_399);
    expect(clock.sleeping).toBe(0);
  });

  it('rejects with the reason of the signal that aborts first, and forgets the sleeper', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const sleep = clock.sleep(1_000, controller.signal);
    controller.abort(new Error('stop'));
    await expect(sleep).rejects.toThrow('stop');
    await expect(clock.sleep(1, controller.signal)).rejects.toThrow('stop');
    expect(clock.sleeping).toBe(0);
  });

  it('advances until a condition holds, and says when it cannot', async () => {
    const clock = new ManualClock(0);
    let ticks = 0;
    void (async () => {
      while (ticks < 3) {
        await clock.sleep(10);
        ticks += 1;
      }
    })();
    await clock.advanceUntil(() => ticks === 2);
    expect(clock.now()).toBe(20);
    await expect(clock.advanceUntil(() => false, 5)).rejects.toThrow('within 5 ms');
    await expect(clock.advanceUntil(() => false)).rejects.toThrow('nobody sleeps');
  });
});

describe('SeededEntropy', () => {
  it('replays the same numbers from the same seed, all in [0, 1)', () => {
    const draw = (seed: number) => {
      const entropy = new SeededEntropy(seed);
      return Array.from({ length: 1_000 }, () => entropy.random());
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(draw(7).every((number) => number >= 0 && number < 1)).toBe(true);
  });
});
