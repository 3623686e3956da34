import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { idleMonths, withCosts } from '../../bench/cost-page.ts';
import { countIdleRequests } from '../../bench/idle-counts.ts';
import { TABLE_SHARDS } from '../../lib/deployment/installation/resource-names.ts';

describe('docs/operations.md', () => {
  it('R-5.11 shows the costs that are computed from counted requests and list prices: node bench/write-costs.ts', async () => {
    const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    expect(page).toBe(await withCosts(page));
    expect(page.match(/<!-- costs: \w+ -->[^<]*\d/g)).toHaveLength(3);
  });
});

describe('a month of the shipped stage in which nothing changes', () => {
  it('R-5.11 stays within $9 with the relay in a pod, $16 with its function, and $120 for 100 clusters', async () => {
    const months = await idleMonths();
    expect(months.container.total).toBeLessThanOrEqual(9);
    expect(months.function.total).toBeLessThanOrEqual(16);
    expect(months.manyClusters.total).toBeLessThanOrEqual(120);
    expect(months.behindEndpoints.total - months.function.total).toBeCloseTo(4 * 2 * 0.01 * 720);
    expect(months.behindNat.total - months.function.total).toBeCloseTo(0.045 * 720);
  });

  it('R-5.11 asks the table for one query a shard, four items a cluster and ten writes a minute when it is counted', async () => {
    const counted = await countIdleRequests();
    expect(counted.sweepQueries).toBe(TABLE_SHARDS);
    expect(counted.silenceReads).toBeLessThanOrEqual(4);
    expect(counted.relayWritesPerMinute).toBeLessThanOrEqual(10);
  });
});
