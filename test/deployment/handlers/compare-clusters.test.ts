import { beforeEach, describe, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { Leases, Namespaces } from '../../../lib/core/resource-type.ts';
import { type Comparisons, compareClusters } from '../../../lib/deployment/handlers/compare-clusters.ts';
import { createInstallation } from '../../../lib/deployment/installation/installation.ts';
import { defaultSettings } from '../../../lib/deployment/settings/load-settings.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, widgetController } from '../../support/widget.ts';

const LEASE = { namespace: 'evenkeel-system', name: 'evenkeel-widgets' };

let world: World;
/** What a call of a cluster's API fails with. */
let broken: Map<string, () => Error>;

beforeEach(async () => {
  broken = new Map();
  world = new World({ controllers: [widgetController()] });
  await world.install([WIDGET_DEFINITION]);
  await world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
});

function entry(name: string, paused = false, resyncMs = 300_000) {
  const { clock, store, wakes, entropy, logger, metrics, registry } = world;
  const api = new Proxy(world.api, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        const error = broken.get(name);
        if (error !== undefined) throw error();
        return await value.apply(target, args);
      };
    },
  });
  const queues = { widgets: { events: world.queue('widgets'), resync: world.queue('widgets', 'resync') } };
  const installation = createInstallation(
    { store, queues, wakes, api, clock, entropy, logger, metrics },
    { settings: settingsOf(name, paused, resyncMs), registry, owner: 'o', deployment: 'd' },
  );
  return { name, opened: { installation, close: async () => {} } };
}

function settingsOf(cluster: string, paused: boolean, resyncMs: number) {
  const settings = defaultSettings();
  return { ...settings, cluster, paused, intervals: { ...settings.intervals, resyncMs } };
}

function run(entries: ReturnType<typeof entry>[], comparisons: Comparisons, forMs = 600_000) {
  const { clock, logger, metrics } = world;
  const runtime = { clusters: { all: () => entries } as never, clock, logger, metrics };
  return compareClusters(runtime, comparisons, clock.monotonic() + forMs);
}

const found = () => world.queue('widgets', 'resync').messages().length;

/** Until the promise settles, in the clock's time. */
async function elapsed(running: Promise<unknown>): Promise<number> {
  const startedAtMs = world.clock.now();
  let ended = false;
  const end = () => {
    ended = true;
  };
  running.then(end, end);
  await world.clock.advance(0);
  if (!ended) await world.clock.advanceUntil(() => ended);
  return world.clock.now() - startedAtMs;
}

describe('compareClusters', () => {
  it('R-5.8 a new sandbox compares a second time after a difference, because it knows no earlier comparison', async () => {
    await createWidget(world);
    const comparisons: Comparisons = new Map();
    const entries = [entry('test')];
    expect(await elapsed(run(entries, comparisons))).toBeGreaterThanOrEqual(60_000);
    // The second look sends the same message, which the queue takes once.
    expect(found()).toBe(1);
    expect(world.metrics.total('ResyncFound')).toBe(2);
    expect(world.metrics.total('ResyncDrift')).toBe(1);
    expect(await elapsed(run(entries, comparisons))).toBeLessThan(60_000);
  });

  it('R-5.8 where nothing is found once is enough', async () => {
    expect(await elapsed(run([entry('test')], new Map()))).toBeLessThan(60_000);
    expect(found()).toBe(0);
  });

  it('R-1.10 only the Leases are kept when the last comparison is younger than the interval of resync', async () => {
    const comparisons: Comparisons = new Map();
    const entries = [entry('test', false, 30 * 60_000)];
    const lists = () => world.server.requests.find({ verb: 'list', userAgent: 'evenkeel' }).length;
    const renewed = async () => ((await world.user.get(Leases, LEASE)).spec as { renewTime: string }).renewTime;
    const compared: number[] = [];
    for (let run5 = 0; run5 < 13; run5 += 1) {
      const before = lists();
      const renewedBefore = run5 === 0 ? undefined : await renewed();
      await elapsed(run(entries, comparisons));
      if (lists() > before) compared.push(run5);
      expect(await renewed(), `run ${run5}`).not.toBe(renewedBefore);
      await world.clock.advance(300_000);
    }
    expect(compared).toEqual([0, 6, 12]);
  });

  it('R-5.15 it compares again at the next run when the last comparison found something', async () => {
    const comparisons: Comparisons = new Map();
    const entries = [entry('test', false, 30 * 60_000)];
    const compares = async () => {
      const before = world.server.requests.find({ verb: 'list', userAgent: 'evenkeel' }).length;
      await elapsed(run(entries, comparisons));
      await world.clock.advance(300_000);
      return world.server.requests.find({ verb: 'list', userAgent: 'evenkeel' }).length > before;
    };
    await compares();
    expect(await compares()).toBe(false);
    await createWidget(world);
    for (let runs = 0; runs < 4; runs += 1) expect(await compares()).toBe(false);
    expect(await compares()).toBe(true);
    expect(await compares()).toBe(true);
    await world.drain();
    expect(await compares()).toBe(true);
    expect(await compares()).toBe(false);
  });

  it('R-6.7 a paused deployment lists nothing and sends nothing, and keeps its Leases', async () => {
    await createWidget(world);
    const before = world.server.requests.find({ verb: 'list' }).length;
    await elapsed(run([entry('test', true)], new Map()));
    expect(found()).toBe(0);
    expect(world.server.requests.find({ verb: 'list' })).toHaveLength(before);
    expect((await world.user.get(Leases, LEASE)).spec).toMatchObject({ holderIdentity: 'd' });
  });

  it('R-5.14 a cluster that does not answer fails neither the others nor the function', async () => {
    broken.set('dead', () => new ApiError('Unreachable', 'no answer'));
    await createWidget(world);
    const running = run([entry('dead'), entry('test')], new Map());
    await elapsed(running);
    await running;
    expect(found()).toBe(1);
    expect(world.logger.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'resync failed; it runs again at its next time', error: { reason: 'Unreachable' } },
    ]);
  });

  it('R-5.13 when the table does not answer the function fails, once the other clusters are compared', async () => {
    broken.set('other', () => new InfrastructureError('the table did not answer'));
    await createWidget(world);
    const running = run([entry('other'), entry('test')], new Map());
    const failure = expect(running).rejects.toThrow('the table did not answer');
    await elapsed(running);
    await failure;
    expect(found()).toBe(1);
  });

  it('R-5.5 it ends before Lambda would end the function, whatever it waits for', async () => {
    await createWidget(world);
    const running = run([entry('test')], new Map(), 20_000);
    expect(await elapsed(running)).toBeLessThanOrEqual(20_000);
    await running;
    expect(found()).toBe(1);
  });
});
