import { queryObjects } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { Simulation } from '../../lib/testing/simulation/simulation.ts';
import { runSeed } from './run-seed.ts';
import { WORKLOADS } from './workload/workloads.ts';

describe('a long run of seeds', () => {
  it.each(Object.keys(WORKLOADS))('keeps nothing of a seed of %s that is over', async (workload) => {
    for (let seed = 1; seed <= 3; seed += 1) await runSeed(seed, { workloads: [workload] });
    // The last one may still stand on the stack.
    expect(queryObjects(Simulation, { format: 'count' })).toBeLessThanOrEqual(1);
  });
});
