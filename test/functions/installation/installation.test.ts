import { describe, expect, it } from 'vitest';
import { createInstallation } from '../../../functions/installation/installation.ts';
import { receiveWaitSeconds } from '../../../functions/installation/worker-part.ts';
import { defaultSettings } from '../../../functions/settings/load-settings.ts';
import { DEFAULT_LEASE_TIMINGS, latestStartMs } from '../../../lib/core/lease.ts';
import { World } from '../../../lib/testing/world.ts';

function installation(paused: boolean) {
  const { store, wakes, api, clock, entropy, logger, metrics, registry } = new World({ controllers: [] });
  const ports = { store, queues: {}, wakes, api, clock, entropy, logger, metrics };
  const settings = { ...defaultSettings(), paused };
  return createInstallation(ports, { settings, registry, owner: 'o', deployment: 'd' });
}

describe('createInstallation', () => {
  it('R-6.7 a paused deployment lets no pass of any cluster begin, and leaves the table as it is', async () => {
    const { gate, store } = installation(true);
    expect(await gate.check('test')).toMatchObject({ open: false, reason: 'ClusterPaused' });
    expect((await store.readCluster('test')).paused).toBe(false);
  });

  it('R-6.7 a paused cluster is paused for every deployment of its table', async () => {
    const { gate, store } = installation(false);
    expect(await gate.check('test')).toEqual({ open: true });
    await store.setPaused('other', true);
    expect(await gate.check('other')).toMatchObject({ open: false, reason: 'ClusterPaused' });
  });
});

describe('receiveWaitSeconds', () => {
  it.each([
    [{}, 13],
    [{ visibilityMs: 600_000 }, 20],
    [{ leaseMs: 6_000, visibilityMs: 12_000, clockSkewMs: 200 }, 2],
    [{ leaseMs: 2_000, visibilityMs: 4_500, clockSkewMs: 100 }, 1],
  ])('what comes at the end of the wait is young enough to be started: %j', (changes, seconds) => {
    const timings = { ...DEFAULT_LEASE_TIMINGS, ...changes };
    expect(receiveWaitSeconds(timings)).toBe(seconds);
    expect(seconds * 1_000).toBeLessThan(latestStartMs(timings, 0));
  });
});
