import { afterEach, describe, expect, it } from 'vitest';
import { settled } from '../../../lib/core/outcome.ts';
import { ConfigMaps, Namespaces, Secrets } from '../../../lib/core/resource-type.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

let stop = new AbortController();
let running: Promise<void> | undefined;

afterEach(async () => {
  stop.abort();
  await running;
});

/** The whole loop: an API server, a relay, queues, a worker. */
async function worldWithRelay(parts: Parameters<typeof widgetController>[0] = {}): Promise<World> {
  const world = new World({ controllers: [widgetController(parts)] });
  await world.install([WIDGET_DEFINITION]);
  await world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
  startRelay(world);
  await world.run(5_000);
  return world;
}

function startRelay(world: World): void {
  stop = new AbortController();
  running = world.relay().run(stop.signal);
}

describe('a relay on an API server', () => {
  it('R-1.2 the initial list and the watch start passes, and the own status write starts none', async () => {
    const world = await worldWithRelay();
    const first = await createWidget(world, 'first');
    await world.run(5_000);
    expect((await world.read(Widgets, first)).status).toEqual({ seen: 1 });
    await world.edit(Widgets, first, { spec: { size: 2 } });
    await world.run(5_000);
    expect((await world.read(Widgets, first)).status).toEqual({ seen: 2 });
    expect(world.reports.map(({ end }) => end)).toEqual(['committed', 'committed']);
  });

  it('I2 a Secret that appears, changes and disappears starts passes of exactly its readers', async () => {
    const world = await worldWithRelay({
      reconcile: async (widget, context) => {
        const { name } = widget.metadata;
        const secret = await context.get(Secrets, { namespace: 'default', name: `${name}-secret` });
        return { outcome: settled(), status: { secret: secret?.metadata.resourceVersion ?? 'none' } };
      },
    });
    const one = await createWidget(world, 'one');
    const two = await createWidget(world, 'two');
    await world.run(5_000);
    const secret = await world.create(Secrets, { metadata: { namespace: 'default', name: 'one-secret' } });
    await world.run(5_000);
    const statusOf = async (widget: typeof one) => (await world.read(Widgets, widget)).status as { secret: string };
    expect(await statusOf(one)).toEqual({ secret: secret.metadata.resourceVersion });
    expect(await statusOf(two)).toEqual({ secret: 'none' });
    await world.remove(Secrets, secret);
    await world.run(5_000);
    expect(await statusOf(one)).toEqual({ secret: 'none' });
  });

  it('R-1.4 an owned object that is removed comes back, and its own event costs no pass', async () => {
    const world = await worldWithRelay({
      reconcile: async (widget, context) => {
        const { name, uid } = widget.metadata;
        const child = await context.get(ConfigMaps, { namespace: 'default', name });
        if (child === undefined) {
          const owner = { apiVersion: 'test.evenkeel.dev/v1', kind: 'Widget', name, uid, controller: true };
          await context.create(ConfigMaps, {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: {
              namespace: 'default',
              name,
              labels: { 'app.kubernetes.io/managed-by': 'evenkeel' },
              ownerReferences: [owner],
            },
          });
        }
        return { outcome: settled() };
      },
    });
    const widget = await createWidget(world, 'one');
    await world.run(5_000);
    const child = await world.read(ConfigMaps, widget);
    const passes = () => world.reports.filter(({ end }) => end === 'committed').length;
    expect(passes()).toBe(1);
    await world.remove(ConfigMaps, child);
    await world.run(5_000);
    expect((await world.read(ConfigMaps, widget)).metadata.uid).not.toBe(child.metadata.uid);
    expect(passes()).toBe(2);
  });

  it('R-5.7 a relay that comes back continues from its checkpoint', async () => {
    const world = await worldWithRelay();
    await world.run(120_000);
    stop.abort();
    await running;
    const widget = await createWidget(world, 'meanwhile');
    startRelay(world);
    await world.run(5_000);
    expect((await world.read(Widgets, widget)).status).toEqual({ seen: 1 });
    expect(world.metrics.total('RelayReconnect')).toBe(0);
  });

  it('R-5.7 watches end and come back in an idle hour, none counts as dead, and nothing is reconciled', async () => {
    const world = await worldWithRelay();
    await createWidget(world);
    await world.run(5_000);
    const before = world.reports.length;
    await world.run(3_600_000, world.worker(), 10_000);
    expect(world.metrics.total('RelayReconnect', { Reason: 'Ended' })).toBeGreaterThan(20);
    expect(world.metrics.total('RelayReconnect')).toBe(world.metrics.total('RelayReconnect', { Reason: 'Ended' }));
    expect(world.reports.length).toBe(before);
  });
});
