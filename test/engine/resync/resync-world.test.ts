import { describe, expect, it } from 'vitest';
import { settled } from '../../../lib/core/outcome.ts';
import { ConfigMaps, Secrets } from '../../../lib/core/resource-type.ts';
import { type ResyncReport, resyncCluster } from '../../../lib/engine/resync/resync-cluster.ts';
import { TEST_CLUSTER, World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

async function worldWith(parts: Parameters<typeof widgetController>[0] = {}): Promise<World> {
  const world = new World({ controllers: [widgetController(parts)] });
  await world.install([WIDGET_DEFINITION]);
  return world;
}

/** Runs ticks five minutes apart. The messages of each tick are handled before the next. No watch runs. */
async function ticks(world: World, count: number): Promise<ResyncReport[]> {
  const { api, store, sender, registry, clock, logger, metrics } = world;
  const deps = { cluster: TEST_CLUSTER, api, store, sender, registry, scope: {}, clock, logger, metrics };
  const reports: ResyncReport[] = [];
  for (let round = 0; round < count; round += 1) {
    const tick = Math.round(clock.now() / 300_000);
    const previous = reports.at(-1)?.differences;
    const { signal } = new AbortController();
    reports.push(await resyncCluster({ ...deps, tick, signal, ...(previous === undefined ? {} : { previous }) }));
    await world.run(300_000, world.worker(), 30_000);
  }
  return reports;
}

function foundBy(reports: readonly ResyncReport[]): (number | string)[] {
  return reports.map((report) => (report.type === 'compared' ? report.found : report.why));
}

describe('resync without any watch', () => {
  it('R-1.2 resync alone brings every resource to its desired state, and then finds nothing more', async () => {
    const world = await worldWith();
    const widgets = await Promise.all(['a', 'b', 'c'].map((name) => createWidget(world, name)));
    expect(foundBy(await ticks(world, 3))).toEqual([3, 0, 0]);
    for (const widget of widgets) expect((await world.read(Widgets, widget)).status).toEqual({ seen: 1 });
    await world.edit(Widgets, { metadata: widgets[1]?.metadata ?? widgets[0]!.metadata }, { spec: { size: 2 } });
    expect(foundBy(await ticks(world, 2))).toEqual([1, 0]);
    await world.remove(Widgets, widgets[0]!);
    expect(foundBy(await ticks(world, 2))).toEqual([1, 0]);
    expect(world.memory.contents().targets).toHaveLength(2);
    expect(world.metrics.total('ResyncDrift')).toBe(0);
  });

  it('R-5.8 resync finds Secrets that changed, appeared and disappeared, for readers and listers, and then nothing more', async () => {
    const world = await worldWith({
      reconcile: async (widget, context) => {
        const own = await context.get(Secrets, { namespace: 'default', name: widget.metadata.name });
        const labelled = await context.list(Secrets, { namespace: 'default', labelSelector: 'counted' });
        return { outcome: settled(), status: { own: own?.metadata.resourceVersion ?? '', labelled: labelled.length } };
      },
    });
    await world.create(Secrets, { metadata: { namespace: 'default', name: 'left-out' } });
    await world.run(600_000, world.worker(), 60_000);
    const widget = await createWidget(world, 'one');
    expect(foundBy(await ticks(world, 2))).toEqual([1, 0]);
    const own = await world.create(Secrets, { metadata: { namespace: 'default', name: 'one' } });
    expect(foundBy(await ticks(world, 2))).toEqual([1, 0]);
    await world.create(Secrets, { metadata: { namespace: 'default', name: 'two', labels: { counted: 'yes' } } });
    expect(foundBy(await ticks(world, 2))).toEqual([1, 0]);
    expect((await world.read(Widgets, widget)).status).toEqual({ own: own.metadata.resourceVersion, labelled: 1 });
    await world.remove(Secrets, own);
    expect(foundBy(await ticks(world, 2))).toEqual([1, 0]);
    expect((await world.read(Widgets, widget)).status).toEqual({ own: '', labelled: 1 });
  });

  it('R-4.4 a foreign object of an owned kind costs one difference at most, and then its poll covers it', async () => {
    const world = await worldWith({
      reconcile: async (widget, context) => {
        const child = await context.get(ConfigMaps, { namespace: 'default', name: widget.metadata.name });
        return { outcome: settled(), status: { foreign: child !== undefined } };
      },
    });
    await world.create(ConfigMaps, { metadata: { namespace: 'default', name: 'one' } });
    await createWidget(world, 'one');
    expect(foundBy(await ticks(world, 3))).toEqual([1, 0, 0]);
  });

  it('R-5.15 a new version of the reconciler reaches every target', async () => {
    const world = await worldWith();
    await createWidget(world, 'one');
    await ticks(world, 1);
    const updated = new World({ controllers: [widgetController({ version: '2' })] });
    const { store, clock, api, logger, metrics } = world;
    const report = await resyncCluster({
      cluster: TEST_CLUSTER,
      api,
      store,
      sender: updated.sender,
      registry: updated.registry,
      scope: {},
      clock,
      logger,
      metrics,
      tick: 7,
      signal: new AbortController().signal,
    });
    expect(report).toMatchObject({ found: 1, drift: 0 });
  });
});
