import { beforeEach, describe, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { SkinnyEvent } from '../../../lib/core/event.ts';
import { checkAt } from '../../../lib/core/outcome.ts';
import { kindId } from '../../../lib/core/resource-type.ts';
import { createTimers } from '../../../lib/engine/runtime/timers.ts';
import { Sweep } from '../../../lib/engine/sweep/sweep.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

let delayMs: number;
let world: World;

beforeEach(async () => {
  delayMs = 30 * 60_000;
  world = new World({
    controllers: [widgetController({ reconcile: async (_, { nowMs }) => ({ outcome: checkAt(nowMs + delayMs) }) })],
  });
  await world.install([WIDGET_DEFINITION]);
});

async function committed() {
  const widget = await createWidget(world);
  const { dueAtMs = 0 } = await world.worker().handle(world.event(Widgets, widget));
  return { widget, dueAtMs, key: { cluster: 'test', kind: kindId(Widgets), uid: widget.metadata.uid } };
}

const visibleEvents = async () =>
  (await world.queue('widgets').receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 })).map(
    ({ body }) => JSON.parse(body) as SkinnyEvent,
  );

describe('Sweep', () => {
  it('R-1.26 the sweep sends a wake for a timer that is due before the next sweep, unless its commit sent one', async () => {
    const { dueAtMs } = await committed();
    world.clock.jump(dueAtMs - world.clock.now() - 50_000);
    expect(await world.sweep.run()).toEqual({ sent: 0, woken: 1, failed: 0 });
    delayMs = 40_000;
    await world.worker().handle(world.event(Widgets, await createWidget(world, 'near')));
    expect(await world.sweep.run()).toEqual({ sent: 0, woken: 1, failed: 0 });
  });

  it('R-1.25 the sweep sends an overdue timer and then pushes it out, so that its next message has another id', async () => {
    const { dueAtMs, key } = await committed();
    world.clock.jump(dueAtMs - world.clock.now() + 5_000);
    expect(await world.sweep.run()).toMatchObject({ sent: 1 });
    const pushed = await world.memory.readTarget(key);
    expect(pushed?.dueAtMs).toBe(world.clock.now() + 120_000);
    expect(await visibleEvents()).toMatchObject([{ cause: 'due', dueAt: dueAtMs, epoch: pushed?.epoch }]);
    expect(await world.sweep.run()).toEqual({ sent: 0, woken: 0, failed: 0 });
  });

  it('R-1.25 a crash between the send and the push sends twice, and never zero times', async () => {
    const { dueAtMs } = await committed();
    world.clock.jump(dueAtMs - world.clock.now() + 5_000);
    const push = world.memory.pushDue.bind(world.memory);
    world.memory.pushDue = async () => {
      throw new InfrastructureError('the sweep died');
    };
    expect(await world.sweep.run()).toMatchObject({ failed: 1 });
    expect(await visibleEvents()).toHaveLength(1);
    world.memory.pushDue = push;
    expect(await world.sweep.run()).toMatchObject({ sent: 1 });
  });

  it('R-1.25 a timer that cannot be sent stays, is logged, and delays no other', async () => {
    const { dueAtMs, key } = await committed();
    await world.worker().handle(world.event(Widgets, await createWidget(world, 'two')));
    world.clock.jump(dueAtMs - world.clock.now() + 10_000);
    const send = world.queue('widgets').send.bind(world.queue('widgets'));
    world.queue('widgets').send = async (messages, signal) => {
      if (messages.some(({ body }) => body.includes(key.uid)))
        throw new InfrastructureError('the queue did not answer');
      return await send(messages, signal);
    };
    expect(await world.sweep.run()).toMatchObject({ sent: 1, failed: 1 });
    expect((await world.memory.readTarget(key))?.dueAtMs).toBe(dueAtMs);
  });

  it('the sweep does nothing when the item no longer has the timer of the index', async () => {
    const { dueAtMs, key } = await committed();
    world.memory.indexLagMs = 60_000;
    await world.memory.pushDue(
      key,
      { dueAtMs, epoch: (await world.memory.readTarget(key))?.epoch ?? 0 },
      dueAtMs + 3_600_000,
      world.clock.now(),
    );
    world.clock.jump(dueAtMs - world.clock.now() + 10_000);
    world.memory.indexLagMs = 0;
    expect(await world.sweep.run()).toEqual({ sent: 0, woken: 0, failed: 0 });
  });

  it('R-5.11 an idle minute costs one query for each shard', async () => {
    const requests: string[] = [];
    world = new World({ controllers: [widgetController()], onRequest: (_, operation) => requests.push(operation) });
    await world.sweep.run();
    expect(requests).toEqual(['Query', 'Query', 'Query', 'Query']);
  });
});

describe('WakeHandler', () => {
  const wakeAt = (widget: Awaited<ReturnType<typeof committed>>['widget'], dueAtMs: number) => ({
    messageId: 'm',
    body: JSON.stringify({
      v: 1,
      type: 'target',
      target: { cluster: 'test', kind: kindId(Widgets), uid: widget.metadata.uid, namespace: 'default', name: 'one' },
      dueAtMs,
    }),
  });

  it('R-1.26 the wake handler sends the timer when the item still has it and it is due, whatever the epoch', async () => {
    const { widget, dueAtMs, key } = await committed();
    world.clock.jump(dueAtMs - world.clock.now());
    await world.store.acquire({
      target: { ...key, namespace: 'default', name: 'one' },
      owner: 'dead',
      attempt: 'a',
      nowMs: world.clock.now(),
      leaseUntilMs: world.clock.now() + 30_000,
      latestUntilMs: world.clock.now() + 30_000 + 4_000,
    });
    await world.wakeHandler.handle(wakeAt(widget, dueAtMs));
    expect(await visibleEvents()).toMatchObject([{ cause: 'due', dueAt: dueAtMs }]);
  });

  it('R-1.26 a wake that is early is delayed once more', async () => {
    const { widget, dueAtMs } = await committed();
    world.clock.jump(dueAtMs - world.clock.now() - 2_500);
    await world.wakeHandler.handle(wakeAt(widget, dueAtMs));
    expect(await visibleEvents()).toEqual([]);
    await world.clock.advance(3_000);
    expect(await world.wakes.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 })).toHaveLength(1);
  });

  it('R-5.4 a wake of a replaced timer does nothing, and a malformed one is dropped', async () => {
    const { widget, dueAtMs } = await committed();
    world.clock.jump(3_600_000);
    await world.wakeHandler.handle(wakeAt(widget, dueAtMs - 1));
    const nobody = { cluster: 'test', kind: kindId(Widgets), uid: '', namespace: 'default', name: 'one' };
    const malformed = [
      '{',
      '{}',
      JSON.stringify({ v: 2, type: 'target' }),
      JSON.stringify({ v: 1, type: 'target', target: nobody, dueAtMs }),
      JSON.stringify({ v: 1, type: 'poll', poll: { ...nobody, group: '' }, dueAtMs }),
    ];
    for (const body of malformed) await world.wakeHandler.handle({ messageId: 'm', body });
    expect(await visibleEvents()).toEqual([]);
    expect(world.logger.lines).toHaveLength(malformed.length);
  });

  it('I11 a `due` message is acknowledged only after a later pass committed, not after a crashed pass raised the epoch', async () => {
    const { widget, dueAtMs, key } = await committed();
    world.clock.jump(dueAtMs - world.clock.now());
    await world.wakeHandler.handle(wakeAt(widget, dueAtMs));
    const [due] = await visibleEvents();
    if (due === undefined) throw new Error('no due event');
    await world.store.acquire({
      target: { ...key, namespace: 'default', name: 'one' },
      owner: 'dead',
      attempt: 'a',
      nowMs: world.clock.now(),
      leaseUntilMs: world.clock.now() + 30_000,
      latestUntilMs: world.clock.now() + 30_000 + 4_000,
    });
    world.clock.jump(31_000);
    expect(await world.worker().handle(due)).toMatchObject({ end: 'committed' });
    expect(await world.worker().handle(due)).toMatchObject({ end: 'covered' });
  });

  it('R-1.25 the timers of a cluster that was removed from the list stay, and cost no message', async () => {
    const { dueAtMs, key } = await committed();
    world.clock.jump(dueAtMs - world.clock.now() + 5_000);
    const { store, sender, registry, wakes, clock, logger, metrics } = world;
    const timings = world.options.timings;
    const deps = { store, sender, registry, wakes, timings, clock, logger, metrics };
    const without = new Sweep({ ...deps, hasCluster: () => false });
    expect(await without.run()).toEqual({ sent: 0, woken: 0, failed: 0 });
    expect(await visibleEvents()).toEqual([]);
    expect((await world.memory.readTarget(key))?.dueAtMs).toBe(dueAtMs);
    expect(await new Sweep({ ...deps, hasCluster: (cluster) => cluster === 'test' }).run()).toMatchObject({ sent: 1 });
  });

  it('R-5.4 the wakes of a cluster that was removed from the list cost no read and no message', async () => {
    const { widget, dueAtMs } = await committed();
    world.clock.jump(dueAtMs - world.clock.now());
    const poll = { cluster: 'test', group: 'widgets', kind: 'secrets', namespace: 'default', name: 'one' };
    await world.memory.touchPoll(poll, world.clock.now() - 30_000, 30_000);
    const body = JSON.stringify({ v: 1, type: 'poll', poll, dueAtMs: world.clock.now() });
    const messages = [wakeAt(widget, dueAtMs), { messageId: 'p', body }];
    const timersOf = (hasCluster: (cluster: string) => boolean) =>
      createTimers(world, world.registry, { timings: world.options.timings, hasCluster });
    expect(await timersOf(() => false).handleWakes(messages)).toEqual(new Set());
    expect(await visibleEvents()).toEqual([]);
    expect(await timersOf((cluster) => cluster === 'test').handleWakes(messages)).toEqual(new Set());
    expect((await visibleEvents()).map(({ cause }) => cause).sort()).toEqual(['due', 'poll']);
  });
});
