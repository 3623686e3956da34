import { describe, expect, it } from 'vitest';
import { batching, neededExecutions } from '../../../lib/deployment/cloud/batching.ts';

describe('batching', () => {
  it('R-5.9 batches together run as many passes as allowed, in batches of ten, and never fewer than two at once', () => {
    for (let passes = 2; passes <= 20_000; passes += passes < 100 ? 1 : 97) {
      const { batchSize, maximumConcurrency } = batching(passes);
      expect(batchSize).toBeGreaterThanOrEqual(1);
      expect(batchSize).toBeLessThanOrEqual(10);
      expect(maximumConcurrency).toBeGreaterThanOrEqual(2);
      expect(maximumConcurrency).toBeLessThanOrEqual(1_000);
      expect(batchSize * maximumConcurrency).toBeLessThanOrEqual(passes);
    }
    expect(batching(200)).toEqual({ batchSize: 10, maximumConcurrency: 20 });
  });
});

describe('neededExecutions', () => {
  it('R-6.4 counts the batches of both queues of each group, and the other functions', () => {
    expect(neededExecutions({ concurrency: 200, resyncConcurrency: 20 }, 1)).toBe(20 + 2 + 5);
    expect(neededExecutions({ concurrency: 40, resyncConcurrency: 20 }, 3)).toBe(3 * (4 + 2) + 5);
  });
});
