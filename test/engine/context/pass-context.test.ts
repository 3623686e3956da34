import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { settled } from '../../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import { createWidget, interrupting, sawGeneration, Widgets, widgetWorld } from '../../support/widget.ts';

const PASSWORD = { namespace: 'default', name: 'password' };

describe('PassContext', () => {
  it.each<[string, (context: ReconcileContext) => Promise<unknown>]>([
    ['get', (context) => context.get(Secrets, { namespace: 'default', name: 'other' })],
    ['getAgain', (context) => context.getAgain(Secrets, { namespace: 'default', name: 'other' })],
    ['list', (context) => context.list(Secrets, { namespace: 'default' })],
  ])('R-5.14 a %s that is never awaited ends no process when it started next to one that failed', async (_, begin) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    const world = await widgetWorld({
      reconcile: async (widget, context) => {
        const [first, second] = [context.get(Secrets, PASSWORD), begin(context)];
        await first;
        await second;
        return sawGeneration(widget);
      },
    });
    world.server.inject({
      match: ({ resource }) => resource === 'secrets',
      fault: { status: 500, reason: 'InternalError' },
    });
    const widget = await createWidget(world);
    process.on('unhandledRejection', note);
    const report = await world.worker().handle(world.event(Widgets, widget));
    await nextTurn();
    process.off('unhandledRejection', note);
    expect(report).toMatchObject({ outcome: 'retry', reason: 'ApiServerError' });
    expect(unhandled).toEqual([]);
  });

  it('durable values are saved under the lease before their effect, and the next pass reads them', async () => {
    const seen: unknown[] = [];
    const world = await widgetWorld({
      reconcile: async (widget, context) => {
        seen.push(context.values.counter);
        await context.saveValues({ counter: Number(context.values.counter ?? 0) + 1 });
        return sawGeneration(widget);
      },
    });
    const widget = await createWidget(world);
    for (let pass = 0; pass < 3; pass += 1)
      await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(seen).toEqual([undefined, 1, 2]);
  });
});

describe('PassContext: Kubernetes Events', () => {
  const condition = (status: string, reason: string) => ({
    conditions: [
      {
        type: 'Ready',
        status,
        reason,
        message: 'm',
        observedGeneration: 1,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  });
  const Events = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };

  it('R-6.5 each transition gives one Event, repeated ones are counted, and a pass without a change gives none', async () => {
    const world = await widgetWorld({
      reconcile: async (widget) => {
        const { ready } = widget.spec as { ready: string };
        return { outcome: settled(), status: condition(ready, ready === 'True' ? 'Works' : 'Broken') };
      },
    });
    const runner = world.worker();
    let widget = await createWidget(world, 'one', { ready: 'True' });
    await runner.handle(world.event(Widgets, widget));
    expect((await world.user.list(Events)).items).toEqual([]);
    for (const ready of ['False', 'False', 'True', 'False']) {
      widget = await world.edit(Widgets, widget, { spec: { ready } });
      await runner.handle(world.event(Widgets, widget, { cause: 'requested' }));
      await runner.handle(world.event(Widgets, widget, { cause: 'requested' }));
    }
    const { items } = await world.user.list(Events);
    expect(
      items.map(({ reason, type, series }) => [reason, type, (series as { count: number } | undefined)?.count]).sort(),
    ).toEqual([
      ['Broken', 'Warning', 2],
      ['Works', 'Normal', undefined],
    ]);
    expect(items[0]).toMatchObject({ regarding: { kind: 'Widget', name: 'one', uid: widget.metadata.uid } });
  });

  it('R-6.5 Events of an object with a long name have a valid cut name', async () => {
    const world = await widgetWorld({
      reconcile: async (widget) => {
        const { ready } = widget.spec as { ready: string };
        return { outcome: settled(), status: condition(ready, ready === 'True' ? 'Works' : 'Broken') };
      },
    });
    const runner = world.worker();
    let widget = await createWidget(world, `${'n'.repeat(199)}-${'m'.repeat(40)}`, { ready: 'True' });
    await runner.handle(world.event(Widgets, widget));
    for (const ready of ['False', 'True', 'False']) {
      widget = await world.edit(Widgets, widget, { spec: { ready } });
      await runner.handle(world.event(Widgets, widget, { cause: 'requested' }));
    }
    const { items } = await world.user.list(Events);
    expect(
      items.map(({ reason, series }) => [reason, (series as { count: number } | undefined)?.count]).sort(),
    ).toEqual([
      ['Broken', 2],
      ['Works', undefined],
    ]);
    expect(items.every(({ metadata }) => metadata.name.startsWith(`${'n'.repeat(199)}.`))).toBe(true);
  });

  it('an Event that cannot be written does not fail the pass', async () => {
    const world = await widgetWorld({
      reconcile: interrupting(
        async () => undefined,
        async (widget) => ({ outcome: settled(), status: condition((widget.spec as { ready: string }).ready, 'Any') }),
      ),
    });
    const runner = world.worker();
    const widget = await createWidget(world, 'one', { ready: 'True' });
    await runner.handle(world.event(Widgets, widget));
    world.server.inject({
      match: ({ resource }) => resource === 'events',
      fault: { status: 403, reason: 'Forbidden' },
    });
    const edited = await world.edit(Widgets, widget, { spec: { ready: 'False' } });
    expect(await runner.handle(world.event(Widgets, edited))).toMatchObject({ outcome: 'settled' });
    expect(world.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});
