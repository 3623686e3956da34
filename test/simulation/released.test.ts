import { queryObjects } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { Simulation } from '../../lib/testing/simulation/simulation.ts';
import { runSeed } from './run-seed.ts';

describe('a long run of seeds', () => {
  it('keeps nothing of a seed that is over', async () => {
    for (let seed = 1; seed <= 20; seed += 1) await runSeed(seed);
    // The last one may still be on the stack.
    expect(queryObjects(Simulation, { format: 'count' })).toBeLessThanOrEqual(1);
  });
});
