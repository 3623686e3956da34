import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../lib/core/controller.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { settled, terminal } from '../../../lib/core/outcome.ts';
import { Events } from '../../../lib/core/resource-type.ts';
import type { StateStore } from '../../../lib/ports/state-store.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

type Status = 'True' | 'False';

function ready(status: Status, message = 'm', reason = status === 'True' ? 'Works' : 'Broken') {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return { conditions: [{ type: 'Ready', status, reason, message, observedGeneration: 1, lastTransitionTime }] };
}

const asWanted: Controller['reconcile'] = async ({ spec }) => {
  const { status, message, isTerminal, reason } = spec as {
    status: Status;
    message?: string;
    reason?: string;
    isTerminal?: boolean;
  };
  const outcome = isTerminal ? terminal('Denied', 'denied') : settled();
  return { outcome, status: ready(status, message, reason) };
};

/** A pass's requests to the table and to the API server, in one order. */
async function setUp(reconcile = asWanted, faulty: (store: StateStore, name: string) => unknown = () => undefined) {
  const order: string[] = [];
  const world: World = new World({
    controllers: [widgetController({ reconcile })],
    wrapStore: (store) =>
      new Proxy(store, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]) => {
            order.push(String(name));
            return faulty(store, String(name)) ?? member.apply(target, args);
          };
        },
      }),
    wrapTransport: (server) => ({
      send: (request) => {
        if (request.path.includes('events.k8s.io')) order.push('event');
        return server.send(request);
      },
    }),
  });
  await world.install([WIDGET_DEFINITION]);
  const worker = world.worker();
  let widget: KubeObject = await createWidget(world, 'one', { status: 'True' });
  const pass = async (spec?: object) => {
    if (spec !== undefined) widget = await world.edit(Widgets, widget, { spec });
    order.length = 0;
    return await worker.handle(world.event(Widgets, widget, { cause: 'requested' }));
  };
  await pass();
  const told = async () =>
    (await world.user.list(Events)).items.map(({ reason, series }) => [
      reason,
      (series as { count?: number } | undefined)?.count ?? 1,
    ]);
  return { world, pass, order, told };
}

describe('the Events of a pass', () => {
  it('R-6.5 Events are sent after the commit when a condition changed its status', async () => {
    const { pass, order, told } = await setUp();
    expect(await pass({ status: 'False' })).toMatchObject({ end: 'committed', writes: 2 });
    expect(order.filter((call) => call === 'commit' || call === 'event')).toEqual(['commit', 'event']);
    expect(await told()).toEqual([['Broken', 1]]);
  });

  it('R-6.5 no Events are sent when the pass changed nothing', async () => {
    const { pass, order } = await setUp();
    await pass({ status: 'False' });
    expect(await pass()).toMatchObject({ writes: 0 });
    expect(order).not.toContain('event');
  });

  it.each<[string, object]>([
    ['refused as Invalid', { status: 422 }],
    ['Forbidden', { status: 403 }],
    ['answered by an error of the server', { status: 500 }],
  ])('R-6.5 an Event fails no pass and starts no other one when it is %s', async (_, fault) => {
    const { world, pass, order, told } = await setUp();
    const match = { resource: 'events', verb: 'create' };
    const injected = world.server.inject({ match, fault: fault as { status: number } });
    expect(await pass({ status: 'False' })).toMatchObject({ end: 'committed', outcome: 'settled', failures: 0 });
    expect(injected.hits).toBeGreaterThan(0);
    injected.remove();
    expect(await pass()).toMatchObject({ outcome: 'settled', writes: 0 });
    expect(order).not.toContain('event');
    expect(await told()).toEqual([]);
  });

  it.each([3_600_000, 20_000, 86_400_000])(
    'R-1.29 R-6.5 Events keep their five seconds when the clock is set forward by %i ms in a pass',
    async (ms) => {
      let step = () => {};
      const { world, pass } = await setUp(async (...args) => {
        step();
        return await asWanted(...args);
      });
      const injected = world.server.inject({ match: { resource: 'events' }, fault: { hang: true } });
      step = () => world.clock.step(ms);
      let isDone = false;
      const passing = pass({ status: 'False' }).then(() => {
        isDone = true;
      });
      while (injected.hits === 0) await new Promise(setImmediate);
      await world.clock.advance(4_999);
      expect(isDone).toBe(false);
      await world.clock.advance(1);
      await passing;
    },
  );

  it('R-6.5 Events delay a pass by five seconds at most, and are dropped then, when the API server does not answer', async () => {
    const { world, pass } = await setUp();
    const injected = world.server.inject({ match: { resource: 'events' }, fault: { hang: true } });
    let report: Awaited<ReturnType<typeof pass>> | undefined;
    const passing = pass({ status: 'False' }).then((done) => {
      report = done;
    });
    while (injected.hits === 0) await new Promise(setImmediate);
    await world.clock.advance(4_999);
    expect(report).toBeUndefined();
    await world.clock.advance(1);
    await passing;
    expect(report).toMatchObject({ end: 'committed', outcome: 'settled' });
  });

  it('R-6.5 Events are sent when another attempt followed the one that published', async () => {
    let touch = false;
    const { world, pass, told } = await setUp(async (widget, context) => {
      const result = await asWanted(widget, context);
      if (touch) {
        touch = false;
        const touched = await world.edit(Widgets, widget, { metadata: { labels: { touched: 'yes' } } }, 'status');
        await world.worker('worker-2').handle(world.event(Widgets, touched, { cause: 'requested' }));
      }
      return result;
    });
    touch = true;
    expect(await pass({ status: 'False' })).toMatchObject({ end: 'committed', attempts: 2 });
    expect(await told()).toEqual([['Broken', 1]]);
  });

  it('R-6.5 Events are not sent, and nothing else is lost, when the pass lost its lease', async () => {
    let lose = false;
    const { pass, order, told } = await setUp(asWanted, (store, name) => {
      if (!lose || name !== 'commit') return undefined;
      store.readTarget = async () => undefined;
      return Promise.resolve(false);
    });
    lose = true;
    expect(await pass({ status: 'False' })).toMatchObject({ end: 'lost' });
    expect(order).not.toContain('event');
    expect(await told()).toEqual([]);
  });

  it('R-6.5 an object with a flapping condition gets 25 Events, and the suppressed ones are counted in the next ones', async () => {
    const { world, pass, told } = await setUp();
    for (let turn = 0; turn < 40; turn += 1) {
      await pass({ status: turn % 2 === 0 ? 'False' : 'True' });
      await world.clock.advance(1_000);
    }
    expect((await told()).sort()).toEqual([
      ['Broken', 13],
      ['Works', 12],
    ]);
    await world.clock.advance(300_000);
    await pass({ status: 'False' });
    await world.clock.advance(300_000);
    await pass({ status: 'True' });
    expect((await told()).sort()).toEqual([
      ['Broken', 21],
      ['Works', 21],
    ]);
  });

  it('R-6.5 Events of one kind with more than ten different texts are combined in one', async () => {
    const { pass, world } = await setUp();
    for (let turn = 0; turn < 24; turn += 1)
      await pass(turn % 2 === 0 ? { status: 'False', message: `key ${turn}` } : { status: 'True', message: 'm' });
    const { items } = await world.user.list(Events);
    const broken = items.filter(({ reason }) => reason === 'Broken');
    expect(broken).toHaveLength(11);
    expect(broken.filter(({ note }) => String(note).startsWith('(combined from similar events): '))).toMatchObject([
      { series: { count: 2 } },
    ]);
  });

  it('R-6.5 an Event is never suppressed when it reports a terminal error for the first time', async () => {
    const { world, pass, told } = await setUp();
    for (let turn = 0; turn < 30; turn += 1) {
      await pass({ status: turn % 2 === 0 ? 'False' : 'True' });
      await world.clock.advance(1_000);
    }
    await pass({ status: 'False', reason: 'Denied', isTerminal: true });
    expect(await told()).toContainEqual(['Denied', 1]);
  });
});

describe('an Event that a controller records before an effect', () => {
  it('R-6.5 an Event before an effect fails the pass when it cannot be written, and is written before the effect when it can', async () => {
    const { world, pass, told } = await setUp(async (_, context) => {
      await context.recordEvent({ type: 'Normal', reason: 'Deleting', note: 'x', action: 'Delete' });
      return { outcome: settled() };
    });
    const injected = world.server.inject({ match: { resource: 'events' }, fault: { status: 403 } });
    expect(await pass()).toMatchObject({ outcome: 'retry', reason: 'ApiForbidden' });
    injected.remove();
    expect(await pass()).toMatchObject({ outcome: 'settled' });
    expect(await told()).toEqual([['Deleting', 2]]);
  });
});
