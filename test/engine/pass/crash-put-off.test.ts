import { describe, expect, it } from 'vitest';
import type { SkinnyEvent } from '../../../lib/core/event.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { DEFAULT_LEASE_TIMINGS } from '../../../lib/core/lease.ts';
import { kindId, Secrets } from '../../../lib/core/resource-type.ts';
import { crashPutOff } from '../../../lib/engine/pass/crash-put-off.ts';
import type { World } from '../../../lib/testing/world.ts';
import { createWidget, Widgets, widgetWorld } from '../../support/widget.ts';

const CAP_MS = 300_000;

/** A pass whose worker dies before it commits. */
async function crash(world: World, event: SkinnyEvent): Promise<void> {
  const nowMs = world.clock.now();
  const request = {
    target: event,
    owner: 'dead',
    attempt: world.entropy.id(),
    nowMs,
    leaseUntilMs: nowMs + 30_000,
    latestUntilMs: nowMs + 34_000,
  };
  await world.store.acquire(request);
}

async function putOff(): Promise<{ world: World; widget: KubeObject; passes: () => number; dueAtMs: number }> {
  let passes = 0;
  const world = await widgetWorld({
    reconcile: async ({ metadata }) => {
      passes += 1;
      return { outcome: { type: 'settled' }, status: { seen: metadata.generation ?? 0 } };
    },
  });
  const widget = await createWidget(world);
  for (let time = 0; time < 4; time += 1) {
    await crash(world, world.event(Widgets, widget));
    await world.clock.advance(31_000);
  }
  const report = await world.worker().handle(world.event(Widgets, widget));
  expect(report).toMatchObject({ end: 'deferred', outcome: 'crashing' });
  passes = 0;
  return { world, widget, passes: () => passes, dueAtMs: report.dueAtMs ?? 0 };
}

const dependency = { kind: kindId(Secrets), namespace: 'default', name: 's', resourceVersion: '900' };

describe('a target whose passes crash again and again', () => {
  it.each([
    ['updated', {}],
    ['dependency', { cause: 'dependency', changed: dependency }],
    ['resync', { cause: 'resync' }],
    ['deleted', { cause: 'deleted' }],
  ] as const)(
    'R-5.5 a crashing target keeps its timer and runs nothing when a %s event comes before it',
    async (_, change) => {
      const { world, widget, passes, dueAtMs } = await putOff();
      const sent: unknown[] = [];
      const wakes = { sendDelayed: async (...args: unknown[]) => void sent.push(args) };
      for (let time = 0; time < 3; time += 1) {
        await world.clock.advance(10_000);
        const edited = await world.edit(Widgets, widget, { spec: { size: time + 2 } });
        const report = await world.worker('worker-1', { wakes }).handle(world.event(Widgets, edited, change));
        expect(report).toMatchObject({ end: 'deferred', outcome: 'crashing', dueAtMs });
      }
      expect(passes()).toBe(0);
      expect(sent).toEqual([]);
      expect(world.metrics.total('NeedsPerson')).toBe(1);
      await world.run(dueAtMs - world.clock.now() + 10_000);
      expect(passes()).toBe(1);
      expect((await world.read(Widgets, widget)).status).toEqual({ seen: 4 });
    },
  );

  it('R-5.5 a crashing target keeps its timer when the cluster is paused and an event comes', async () => {
    const { world, widget, passes, dueAtMs } = await putOff();
    await world.store.setPaused('test', true);
    const report = await world.worker().handle(world.event(Widgets, widget, { cause: 'resync' }));
    expect(report).toMatchObject({ end: 'deferred', outcome: 'crashing', dueAtMs });
    await world.store.setPaused('test', false);
    await world.run(60_000);
    expect(passes()).toBe(0);
  });

  it('R-5.5 a crashing target runs at once when a person asks for it', async () => {
    const { world, widget, passes } = await putOff();
    await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(passes()).toBe(1);
  });

  it('R-5.5 a crashing target runs with the next event when a pass has committed', async () => {
    const { world, widget, passes, dueAtMs } = await putOff();
    await world.run(dueAtMs - world.clock.now() + 10_000);
    const edited = await world.edit(Widgets, widget, { spec: { size: 7 } });
    await world.worker().handle(world.event(Widgets, edited));
    expect(passes()).toBe(2);
  });

  it.each([
    ['updated', {}],
    ['dependency', { cause: 'dependency', changed: dependency }],
    ['resync', { cause: 'resync' }],
  ] as const)(
    'R-5.5 R-1.25 a crashing target runs with a %s event when its wake was lost and the sweep has sent its timer',
    async (_, change) => {
      const { world, widget, passes, dueAtMs } = await putOff();
      await world.clock.advance(dueAtMs - world.clock.now() + 6_000);
      expect(await world.sweep.run()).toMatchObject({ sent: 1 });
      const edited = await world.edit(Widgets, widget, { spec: { size: 7 } });
      const report = await world.worker().handle(world.event(Widgets, edited, change));
      expect(report).toMatchObject({ end: 'committed' });
      expect(passes()).toBe(1);
    },
  );

  it('R-5.5 a crashing target loses no timer when the worker that should keep it dies', async () => {
    const { world, widget, passes, dueAtMs } = await putOff();
    await crash(world, world.event(Widgets, widget, { cause: 'resync' }));
    await world.run(dueAtMs - world.clock.now() + 70_000);
    expect(passes()).toBeGreaterThan(0);
  });
});

describe('crashPutOff', () => {
  const NOW_MS = 1_800_000_000_000;
  const OPTIONS = { backoff: { baseMs: 1_000, capMs: CAP_MS }, timings: DEFAULT_LEASE_TIMINGS };
  const crashing = {
    type: 'crashing',
    reason: 'Crashing',
    message: '4 passes',
    atMs: 0,
    durationMs: 0,
    cause: 'x',
  } as const;
  const rows = [
    ['updated', NOW_MS + 1, true],
    ['resync', NOW_MS + CAP_MS, true],
    ['created', NOW_MS, false],
    ['updated', NOW_MS - 1, false],
    ['updated', undefined, false],
    // Written by a clock that is ahead by no more than the tolerance.
    ['updated', NOW_MS + CAP_MS + DEFAULT_LEASE_TIMINGS.clockSkewMs, true],
    // Written by a wrong clock.
    ['updated', NOW_MS + CAP_MS + DEFAULT_LEASE_TIMINGS.clockSkewMs + 1, false],
    ['due', NOW_MS + 1, false],
    ['requested', NOW_MS + 1, false],
  ] as const;

  it.each([
    ['by the put-off itself', 0, true],
    ['by a put-off whose clock is ahead as far as is tolerated', DEFAULT_LEASE_TIMINGS.clockSkewMs, true],
    ['later than that', DEFAULT_LEASE_TIMINGS.clockSkewMs + 1, false],
    ['by the sweep, after it had come', CAP_MS + 6_000, false],
  ])('R-5.5 an event waits for a timer that was set %s: %#', (_, afterMs, waits) => {
    const lastOutcome = { ...crashing, atMs: NOW_MS - 60_000 };
    const state = { lastOutcome, dueAtMs: NOW_MS + 100_000, dueSetAtMs: lastOutcome.atMs + afterMs };
    const found = crashPutOff({ cause: 'updated' } as SkinnyEvent, state, OPTIONS, NOW_MS);
    expect(found !== undefined).toBe(waits);
  });

  it.each(rows)('R-5.5 %s with the timer at %s waits: %s', (cause, dueAtMs, waits) => {
    const event = { cause } as SkinnyEvent;
    const state = { lastOutcome: crashing, ...(dueAtMs !== undefined && { dueAtMs }) };
    const found = crashPutOff(event, state, OPTIONS, NOW_MS);
    expect(found?.dueAtMs).toBe(waits ? dueAtMs : undefined);
    for (const type of ['retry', 'rateLimited', 'settled'] as const) {
      const other = { ...state, lastOutcome: { ...crashing, type } };
      expect(crashPutOff(event, other, OPTIONS, NOW_MS)).toBeUndefined();
    }
  });
});
