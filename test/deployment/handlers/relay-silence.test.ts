import { beforeEach, describe, expect, it } from 'vitest';
import { kindId } from '../../../lib/core/resource-type.ts';
import { RelaySilence } from '../../../lib/deployment/handlers/relay-silence.ts';
import { defaultSettings } from '../../../lib/deployment/settings/load-settings.ts';
import { World } from '../../../lib/testing/world.ts';
import { Widgets, widgetController } from '../../support/widget.ts';

const CLUSTERS = [{ name: 'east' }, { name: 'west' }];
let world: World;
let settings: ReturnType<typeof defaultSettings>;

beforeEach(() => {
  world = new World({ controllers: [widgetController({ owns: [], reads: [] })] });
  settings = { ...defaultSettings() };
});

async function heard(cluster: string): Promise<void> {
  const epoch = await world.store.holdRelay(cluster, 'r', world.clock.now(), world.clock.now() + 1_000);
  await world.store.claimCheckpoint(cluster, kindId(Widgets), epoch ?? 0);
  await world.store.saveCheckpoint(cluster, kindId(Widgets), epoch ?? 0, {
    incarnation: 1,
    resourceVersion: '1',
    heartbeatMs: world.clock.now(),
  });
}

async function measure(silence: RelaySilence): Promise<string[]> {
  world.metrics.recorded.length = 0;
  await silence.measure({ ...world, settings }, CLUSTERS);
  return world.metrics.recorded.map(({ name, value, dimensions }) => `${name} ${dimensions.Cluster} ${value}`).sort();
}

describe('RelaySilence', () => {
  it('R-5.13 somebody else than the relay measures how long it has been silent, for each cluster and kind', async () => {
    await heard('east');
    await heard('west');
    world.clock.jump(45_000);
    await heard('east');
    world.clock.jump(30_000);
    expect(await measure(new RelaySilence())).toEqual(['RelaySilence east 30', 'RelaySilence west 75']);
  });

  it('R-5.13 a relay without a checkpoint counts from the first measurement', async () => {
    const silence = new RelaySilence();
    expect(await measure(silence)).toEqual(['RelaySilence east 0', 'RelaySilence west 0']);
    world.clock.jump(90_000);
    expect(await measure(silence)).toEqual(['RelaySilence east 90', 'RelaySilence west 90']);
  });

  it('R-6.7 a paused cluster counts as silent on purpose', async () => {
    await world.store.setPaused('east', true);
    expect(await measure(new RelaySilence())).toEqual(['RelaySilence west 0']);
    settings = { ...settings, paused: true };
    expect(await measure(new RelaySilence())).toEqual([]);
  });
});
