import { beforeEach, describe, expect, it } from 'vitest';
import { examineRelay } from '../../../cli/doctor/examine-relay.ts';
import { kindId } from '../../../lib/core/resource-type.ts';
import { defaultSettings } from '../../../lib/deployment/settings/load-settings.ts';
import { World } from '../../../lib/testing/world.ts';
import { Widgets, widgetController } from '../../support/widget.ts';

let world: World;

beforeEach(() => {
  world = new World({ controllers: [widgetController({ owns: [], reads: [] })] });
});

async function examine(changes: { paused?: boolean; standby?: boolean } = {}): Promise<string[]> {
  const settings = { ...defaultSettings(), ...changes };
  const diagnoses = await examineRelay('east', world.store, world.registry, settings, world.clock);
  return diagnoses.map(({ level, text }) => `${level} ${text}`);
}

async function heard(): Promise<void> {
  const epoch = (await world.store.holdRelay('east', 'r-1', world.clock.now(), world.clock.now() + 1_000)) ?? 0;
  await world.store.claimCheckpoint('east', kindId(Widgets), epoch);
  const checkpoint = { incarnation: 1, resourceVersion: '1', heartbeatMs: world.clock.now() };
  await world.store.saveCheckpoint('east', kindId(Widgets), epoch, checkpoint);
}

describe('examineRelay', () => {
  it('R-6.4 a relay that was heard of within three minutes lives', async () => {
    await heard();
    world.clock.jump(179_000);
    expect(await examine()).toEqual(['ok the relay follows every kind']);
  });

  it('R-6.4 a silent one is trouble: which kinds, for how long, and who holds it', async () => {
    expect(await examine()).toEqual([
      'trouble the relay is silent (no relay holds it): widgets.test.evenkeel.dev: never seen',
    ]);
    await heard();
    world.clock.jump(240_000);
    expect(await examine()).toEqual([
      'trouble the relay is silent (relay r-1 holds it): widgets.test.evenkeel.dev: for 4m',
    ]);
  });

  it('R-6.7 one that is paused is silent on purpose', async () => {
    expect(await examine({ paused: true })).toEqual(['note it is paused']);
    await world.store.setPaused('east', true);
    expect(await examine()).toEqual(['note it is paused']);
  });

  it('R-5.23 no relay is no trouble when the stage stands by, and a silent one is', async () => {
    expect(await examine({ standby: true })).toEqual(['note no relay holds it, because this stage stands by']);
    await heard();
    world.clock.jump(240_000);
    expect(await examine({ standby: true })).toEqual([expect.stringMatching(/^trouble the relay is silent/)]);
  });

  it('R-5.14 a cluster that did not answer is reported', async () => {
    await heard();
    await world.store.setBreaker('east', world.clock.now() + 10_000);
    expect((await examine())[0]).toBe('trouble its passes are put off, because it did not answer');
  });
});
