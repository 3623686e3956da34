import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../lib/core/controller.ts';
import { type Outcome, settled, terminal } from '../../../lib/core/outcome.ts';
import { Events } from '../../../lib/core/resource-type.ts';
import { createWidget, Widgets, widgetWorld } from '../../support/widget.ts';

const worldWith = (reconcile: Controller['reconcile']) => widgetWorld({ reconcile });

const condition = (status: string) => ({
  type: 'Ready',
  status,
  reason: 'Because',
  message: '',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('PassContext: a status in the middle of a pass', () => {
  it('R-1.20 R-1.12 a status is published before the pass continues, and its version guards the status at the end', async () => {
    const seen: unknown[] = [];
    const world = await worldWith(async (widget, context) => {
      const published = await context.publishStatus({ place: 'a' });
      seen.push((await world.read(Widgets, widget)).status, published.metadata.resourceVersion);
      return { outcome: settled(), status: { place: 'a', done: true } };
    });
    const widget = await createWidget(world);
    const report = await world.worker().handle(world.event(Widgets, widget));
    expect(report).toMatchObject({ outcome: 'settled', writes: 2 });
    const after = await world.read(Widgets, widget);
    expect(seen).toEqual([{ place: 'a' }, expect.any(String)]);
    expect(after.status).toEqual({ place: 'a', done: true });
    // Its own event costs no pass.
    expect((await world.worker().handle(world.event(Widgets, after))).end).toBe('covered');
  });

  it('R-1.3 a status in the middle of a pass is not sent when it did not change', async () => {
    const world = await worldWith(async (_, context) => {
      await context.publishStatus({ place: 'a' });
      return { outcome: settled(), status: { place: 'a' } };
    });
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    const again = await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(again).toMatchObject({ outcome: 'settled', writes: 0 });
  });

  it('R-1.12 a status is refused when the object has changed, and so are the later writes', async () => {
    let effects = 0;
    const world = await worldWith(async (widget, context) => {
      await world.edit(Widgets, widget, { spec: { size: 2 } });
      await context.publishStatus({ place: 'a' });
      effects += 1;
      return { outcome: settled() };
    });
    const widget = await createWidget(world);
    const report = await world.worker().handle(world.event(Widgets, widget));
    expect(report).toMatchObject({ outcome: 'retry', reason: 'ApiConflict' });
    expect(effects).toBe(0);
    expect((await world.read(Widgets, widget)).status).toBeUndefined();
  });

  it('R-6.5 a transition is reported once, with the status at the end', async () => {
    let status = 'False';
    const world = await worldWith(async (widget, context) => {
      const before = (widget.status ?? {}) as { conditions?: object[] };
      await context.publishStatus({ ...before, note: status } as never);
      return { outcome: settled(), status: { note: status, conditions: [condition(status)] } };
    });
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    status = 'True';
    await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    const events = (await world.user.list(Events, { namespace: 'default' })).items;
    expect(events.map(({ action }) => action)).toEqual(['ReadyTurnedTrue']);
  });

  it.each<[string, Outcome, object, string, string[]]>([
    ['terminal is told of once', terminal('Because', 'x'), {}, 'False', ['Warning ReadyBeganFalse']],
    ['of phase Failed is told of once', settled(), { phase: 'Failed' }, 'False', ['Warning ReadyBeganFalse']],
    ['of phase Failed, though Ready, is not told of', settled(), { phase: 'Failed' }, 'True', []],
    ['of phase Failed, and Unknown, is not told of', settled(), { phase: 'Failed' }, 'Unknown', []],
    ['waiting is not told of', settled(), { phase: 'Pending' }, 'False', []],
  ])('R-6.5 an object that is from the start %s', async (_, outcome, status, ready, expected) => {
    const world = await worldWith(async () => ({ outcome, status: { ...status, conditions: [condition(ready)] } }));
    const widget = await createWidget(world);
    for (let pass = 0; pass < 2; pass += 1) {
      await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    }
    const events = (await world.user.list(Events, { namespace: 'default' })).items;
    expect(events.map(({ type, action }) => `${type} ${action}`)).toEqual(expected);
    expect(events.filter(({ series }) => series !== undefined)).toEqual([]);
  });
});
