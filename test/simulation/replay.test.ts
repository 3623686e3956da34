import { describe, expect, it } from 'vitest';
import { runSeed } from './run-seed.ts';

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);

describe('a seed', () => {
  it.each(SEEDS)('R-5.5 replays byte for byte: seed %i', async (seed) => {
    const first = await runSeed(seed, { keepTrace: true });
    const second = await runSeed(seed, { keepTrace: true });
    expect(first.trace.length).toBeGreaterThan(100);
    expect(second.digest).toBe(first.digest);
    expect(second.figures).toEqual(first.figures);
    expect(second.violations).toEqual(first.violations);
  });

  it('R-5.5 keeping the trace changes nothing of what happens', async () => {
    for (const seed of SEEDS) {
      const { figures } = await runSeed(seed, { keepTrace: true });
      expect((await runSeed(seed)).figures).toEqual(figures);
    }
  });
});
