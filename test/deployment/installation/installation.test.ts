import { describe, expect, it } from 'vitest';
import { createInstallation } from '../../../lib/deployment/installation/installation.ts';
import { defaultSettings } from '../../../lib/deployment/settings/load-settings.ts';
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
