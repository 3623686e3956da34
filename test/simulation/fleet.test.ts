import { beforeAll, describe, expect, it } from 'vitest';
import { fleetCosts } from '../../bench/fleet/fleet-costs.ts';
import { type FleetDay, simulateDay } from '../../bench/fleet/fleet-day.ts';
import type { PhaseFigures } from '../../bench/fleet/fleet-figures.ts';
import { durations, type FleetDurations } from '../../bench/scaling/limits.ts';
import { pageInputs } from '../../bench/scaling/scaling-page.ts';

/** Small enough for every build; docs/scaling.md has the recorded day of a larger one. */
const FLEET = { clusters: 10, objects: 100, namespaces: 5, editsADay: 20, latency: { readMs: 100, writeMs: 50 } };

describe('a day of a fleet of 10 clusters on simulated time', () => {
  let day: FleetDay;
  let computed: FleetDurations;

  beforeAll(async () => {
    day = await simulateDay({ ...FLEET, seed: 1, outageHours: 1, quietHours: 1 });
    const inputs = { ...(await pageInputs()), latency: FLEET.latency, editsADay: FLEET.editsADay };
    computed = durations({ clusters: day.clusters, objects: day.objects }, inputs);
    // For what hangs: it takes a quarter of a minute.
  }, 300_000);

  it('R-1.2 every object gets its first pass within twice the computed time when all clusters are registered at once', () => {
    expect(day.firstPasses.ends.committed).toBeGreaterThanOrEqual(day.objects);
    expect(day.firstPasses.seconds).toBeLessThan(2 * computed.firstPassesSeconds + 60);
  });

  it('R-5.11 a first pass takes at most 4.5 calls of table and queues, with those of the relay, resync and timers', () => {
    expect(callsOf(day.firstPasses) / day.objects).toBeLessThanOrEqual(4.5);
    // The acquire, the edge and the commit.
    expect(callsOf(day.firstPasses) / day.objects).toBeGreaterThan(3);
  });

  it('R-1.26 an edit is seen within a second when nothing else happens', () => {
    expect(day.quiet.editMs.count).toBeGreaterThan(500);
    expect(day.quiet.editMs.max).toBeLessThan(1_000);
  });

  it('R-5.9 an edit is seen within a second when a version is rolled out over all objects', () => {
    expect(day.rollout.ends.committed).toBeGreaterThanOrEqual(day.objects);
    expect(day.rollout.editMs.count).toBeGreaterThan(10);
    expect(day.rollout.editMs.p99).toBeLessThan(1_000);
  });

  it('R-5.15 every object has a pass by a new version within two runs of resync when it is deployed', () => {
    expect(day.rollout.seconds).toBeLessThan(2 * computed.rolloutSeconds);
  });

  it('R-5.8 every edit of an hour in which the region was gone is seen within two minutes of its return', () => {
    expect(day.outage.ends.committed ?? 0).toBe(0);
    expect(day.recovery.editMs.count).toBeGreaterThan(100);
    expect(day.recovery.seconds).toBeLessThan(120);
  });

  it('R-5.11 what the requests of each phase cost is at most what the model computes from its outcomes', async () => {
    for (const { phase, counted, computed: modelled } of await fleetCosts(day)) {
      expect(counted, phase).toBeGreaterThan(modelled / 4);
      expect(counted, phase).toBeLessThan(modelled * 1.1);
    }
  });
});

/** A write of the index is part of the call that writes the item. */
function callsOf({ table, fifo, wakes }: PhaseFigures): number {
  const { 'passes index': _index, ...calls } = table;
  return [calls, fifo, wakes].flatMap((counts) => Object.values(counts)).reduce((sum, count) => sum + count, 0);
}
