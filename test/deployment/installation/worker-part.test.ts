import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../lib/core/controller.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { ConfigMaps, Namespaces } from '../../../lib/core/resource-type.ts';
import { createInstallation } from '../../../lib/deployment/installation/installation.ts';
import { workerPart } from '../../../lib/deployment/installation/worker-part.ts';
import { defaultSettings } from '../../../lib/deployment/settings/load-settings.ts';
import type { Lane } from '../../../lib/engine/event-sender.ts';
import { TEST_CLUSTER, World } from '../../../lib/testing/world.ts';

/** A worker whose passes last until the test lets them end. */
async function slowWorker(concurrency: number, resyncConcurrency = concurrency) {
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  const slow: Controller = {
    name: 'slow',
    group: 'slow',
    type: ConfigMaps,
    owns: [],
    reads: [],
    version: '1',
    async reconcile({ metadata }) {
      begun.push(metadata.name);
      for (const resolve of waiting.splice(0)) resolve();
      await new Promise<void>((resolve) => gates.set(metadata.name, resolve));
      return { outcome: settled() };
    },
  };
  const waiting: (() => void)[] = [];
  const world = new World({ controllers: [slow] });
  await world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
  const { store, wakes, api, clock, entropy, logger, metrics, registry } = world;
  const queues = { slow: { events: world.queue('slow'), resync: world.queue('slow', 'resync') } };
  const settings = { ...defaultSettings(), cluster: TEST_CLUSTER, concurrency, resyncConcurrency };
  const installation = createInstallation(
    { store, queues, wakes, api, clock, entropy, logger, metrics },
    { settings, registry, owner: 'worker', deployment: 'd', onPass: (report) => world.reports.push(report) },
  );
  return {
    world,
    begun,
    send: async (name: string, lane: Lane = 'events') => {
      const object = await world.create(ConfigMaps, { metadata: { name, namespace: 'default' } });
      await world.sender.sendAll(lane, [world.event(ConfigMaps, object, { cause: 'created' })]);
    },
    run: (signal: AbortSignal) => workerPart(installation)(signal),
    whenBegun: async (count: number) => {
      while (begun.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    letEnd: (name: string) => gates.get(name)?.(),
    left: async () =>
      (await world.queue('slow').receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 })).map(
        ({ body }) => (JSON.parse(body) as { name: string }).name,
      ),
  };
}

describe('workerPart', () => {
  it('R-1.5 different targets run at once up to the bound', async () => {
    const { send, run, whenBegun, begun, letEnd } = await slowWorker(2);
    const abort = new AbortController();
    for (const name of ['one', 'two', 'three']) await send(name);
    const running = run(abort.signal);
    await whenBegun(2);
    expect([...begun].sort()).toEqual(['one', 'two']);
    letEnd('one');
    await whenBegun(3);
    letEnd('two');
    letEnd('three');
    abort.abort();
    await running;
  });

  it('R-5.9 many resync messages have their own places, so a change of a user starts at once', async () => {
    const { send, run, whenBegun, begun, letEnd } = await slowWorker(2, 1);
    const abort = new AbortController();
    const flood = Array.from({ length: 30 }, (_, index) => `resynced-${index}`);
    for (const name of flood) await send(name, 'resync');
    const running = run(abort.signal);
    await whenBegun(1);
    for (const name of ['edited', 'edited-too']) await send(name);
    await whenBegun(3);
    expect(begun.filter((name) => name.startsWith('resynced'))).toHaveLength(1);
    expect(begun).toEqual(expect.arrayContaining(['edited', 'edited-too']));
    abort.abort();
    for (const name of begun) letEnd(name);
    await running;
  });

  it('a drain finishes the passes that run, begins no other, and leaves what is left to the next worker at once', async () => {
    const { world, send, run, whenBegun, begun, letEnd, left } = await slowWorker(2);
    const abort = new AbortController();
    for (const name of ['one', 'two', 'three']) await send(name);
    let ended = false;
    const running = run(abort.signal).then(() => {
      ended = true;
    });
    await whenBegun(2);
    abort.abort();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    letEnd('one');
    letEnd('two');
    await running;
    expect([...begun].sort()).toEqual(['one', 'two']);
    expect(world.reports.map(({ end, target }) => [target.name, end]).sort()).toEqual([
      ['one', 'committed'],
      ['two', 'committed'],
    ]);
    expect(await left()).toEqual(['three']);
  });
});
