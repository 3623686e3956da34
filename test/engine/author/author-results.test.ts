import { describe, expect, it } from 'vitest';
import { HumanLogger } from '../../../lib/adapters/observability/human-logger.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { ConfigMaps, kindId } from '../../../lib/core/resource-type.ts';
import type { World } from '../../../lib/testing/world.ts';
import { createWidget, Widgets, widgetController, widgetWorld } from '../../support/widget.ts';
import { MALFORMED_FINALIZE, MALFORMED_RECONCILE, revoked, THROWN } from './malformed.ts';

const FINALIZER = 'test.evenkeel.dev/widget';
/** A controller without types may return anything. */
type Untyped = { [Name in 'reconcile' | 'finalize' | 'forgotten']?: (...args: never[]) => unknown };

function untypedWorld(parts: Untyped, more: Partial<Controller> = {}): Promise<World> {
  return widgetWorld({ ...(parts as Partial<Controller>), ...more });
}

/** Sends an event, lets a worker handle it that writes real log lines, and returns the resulting state. */
async function deliver(world: World, widget: KubeObject) {
  const logged: string[] = [];
  const logger = new HumanLogger({ line: (text) => void logged.push(text) }, world.clock, 'debug');
  await world.sender.sendAll('events', [world.event(Widgets, widget, { cause: 'requested' })]);
  await world.drain(world.worker('worker-1', { logger }));
  const state = await world.memory.readTarget({ cluster: 'test', kind: kindId(Widgets), uid: widget.metadata.uid });
  await world.clock.advance(61_000);
  const [redelivered] = await world.queue('widgets').receive({ maxMessages: 1, waitSeconds: 0, visibilitySeconds: 60 });
  return { state, redelivered, logged: logged.join('\n'), report: world.reports.at(-1) };
}

async function expectCommittedRetry(world: World, widget: KubeObject, reason: RegExp, message?: RegExp): Promise<void> {
  const { state, redelivered, logged, report } = await deliver(world, widget);
  expect(state?.lease).toBeUndefined();
  expect(state).toMatchObject({ failures: 1, committedEpoch: state?.epoch, lastOutcome: { type: 'retry' } });
  expect(state?.lastOutcome?.reason).toMatch(reason);
  if (message !== undefined) expect(state?.lastOutcome?.message).toMatch(message);
  expect(Number.isFinite(state?.dueAtMs)).toBe(true);
  expect(redelivered).toBeUndefined();
  expect(report).toMatchObject({ end: 'committed', outcome: 'retry' });
  expect(`${logged} ${JSON.stringify(state)}`).not.toContain('hunter2');
}

async function deletingWidget(world: World): Promise<KubeObject> {
  const metadata = { namespace: 'default', name: 'one', finalizers: [FINALIZER] };
  const widget = await world.create(Widgets, { metadata, spec: {} });
  await world.remove(Widgets, widget);
  return await world.read(Widgets, widget);
}

describe('a controller that returns what it may not', () => {
  it.each(MALFORMED_RECONCILE)(
    'R-1.27 a pass ends as a committed retry, with its lease freed and its message acknowledged, when reconcile returns $what',
    async ({ result, says }) => {
      const world = await untypedWorld({ reconcile: async () => result(world.clock.now()) });
      await expectCommittedRetry(world, await createWidget(world), /^InvalidResult$/, says);
    },
  );

  it.each(MALFORMED_FINALIZE)(
    'R-1.27 a pass keeps the finalizer and is retried when finalize returns $what',
    async ({ result, says }) => {
      const world = await untypedWorld({ finalize: async () => result(world.clock.now()) }, { finalizer: FINALIZER });
      const widget = await deletingWidget(world);
      await expectCommittedRetry(world, widget, /^InvalidResult$/, says);
      expect((await world.read(Widgets, widget)).metadata.finalizers).toEqual([FINALIZER]);
    },
  );

  it.each(THROWN)(
    'R-1.27 a pass ends as a committed retry with a reason when reconcile throws $what',
    async ({ thrown, reason }) => {
      const world = await untypedWorld({
        reconcile: async () => {
          throw thrown();
        },
      });
      await expectCommittedRetry(world, await createWidget(world), reason);
    },
  );

  it.each(THROWN)(
    'R-1.27 a pass ends as a committed retry with a reason when retry is given $what',
    async ({ what, thrown, reason }) => {
      const world = await untypedWorld({ reconcile: async () => ({ outcome: { type: 'retry', error: thrown() } }) });
      // Only a thrown error can be terminal.
      const expected = what.startsWith('a terminal error') ? /^Terminal$/ : reason;
      await expectCommittedRetry(world, await createWidget(world), expected);
    },
  );

  it('R-1.27 a pass has the same result when reconcile is a plain function and when it is async', async () => {
    const world = await untypedWorld({ reconcile: () => 7 });
    await expectCommittedRetry(world, await createWidget(world), /^InvalidResult$/);
    const throwing = await untypedWorld({
      reconcile: () => {
        throw revoked();
      },
    });
    await expectCommittedRetry(throwing, await createWidget(throwing), /^UnreadableError$/);
  });

  it('R-1.27 a controller recovers at its next pass with a valid result', async () => {
    let result: unknown = { outcome: 'settled' };
    const world = await untypedWorld({ reconcile: async () => result });
    const widget = await createWidget(world);
    await expectCommittedRetry(world, widget, /^InvalidResult$/);
    result = { outcome: settled() };
    await world.run(10_000);
    expect(world.reports.at(-1)).toMatchObject({ end: 'committed', outcome: 'settled', failures: 0 });
  });

  it.each([
    ['a promise, as of an async function', async () => false],
    ['text', () => 'no'],
    ['a number', () => 1],
  ])('R-1.18 a pass deletes nothing when isOwned returns %s', async (_, isOwned) => {
    const world = await widgetWorld({
      isOwned: isOwned as unknown as NonNullable<Controller['isOwned']>,
      reconcile: async (_widget, context) => {
        const found = await context.get(ConfigMaps, { namespace: 'default', name: 'foreign' });
        if (found !== undefined) await context.delete(ConfigMaps, found);
        return { outcome: settled() };
      },
    });
    const foreign = await world.create(ConfigMaps, { metadata: { namespace: 'default', name: 'foreign' } });
    const report = await world.worker().handle(world.event(Widgets, await createWidget(world)));
    expect(report).toMatchObject({ outcome: 'retry', reason: 'NotOwned' });
    expect((await world.read(ConfigMaps, foreign)).metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('the hook for a forgotten object', () => {
  const rows: readonly [string, () => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('hunter2');
      },
    ],
    [
      'throws a proxy',
      () => {
        throw revoked();
      },
    ],
    ['rejects', () => Promise.reject(new Error('hunter2'))],
    ['rejects with nothing', () => Promise.reject()],
    ['never ends', () => new Promise(() => undefined)],
  ];

  it.each(rows)(
    'R-1.27 the object is forgotten and its message acknowledged when the hook %s',
    async (what, forgotten) => {
      const world = await untypedWorld({ forgotten });
      const widget = await createWidget(world);
      await world.remove(Widgets, widget);
      const { state, redelivered, logged, report } = await deliver(world, widget);
      expect(report).toMatchObject({ end: 'forgotten' });
      expect(state).toBeUndefined();
      expect(redelivered).toBeUndefined();
      expect(logged).not.toContain('hunter2');
      const reported = what === 'never ends' ? 0 : 1;
      expect(world.metrics.total('UnhandledError', { Group: 'widgets', Kind: kindId(Widgets) })).toBe(reported);
      expect(logged.split('forgotten failed').length - 1).toBe(reported);
    },
  );
});

describe('an error that a controller leaves uncaught', () => {
  it.each([
    ['a promise that was rejected before reconcile ended', () => void Promise.reject(new Error('hunter2'))],
    [
      'an async function that failed and was not awaited',
      () =>
        void (async () => {
          await null;
          throw new Error('hunter2');
        })(),
    ],
    ['a promise rejected with a proxy', () => void Promise.reject(revoked())],
  ])('R-1.27 an uncaught error fails only its own pass when it is %s', async (_, leave) => {
    await withoutRunnerListeners(async () => {
      const world = await widgetWorld({
        reconcile: async (widget) => {
          if (widget.metadata.name === 'bad') leave();
          return { outcome: settled() };
        },
      });
      const [bad, good] = [await createWidget(world, 'bad'), await createWidget(world, 'good')];
      const worker = world.worker();
      const reports = await Promise.all([bad, good].map((widget) => worker.handle(world.event(Widgets, widget))));
      expect(reports[0]).toMatchObject({ end: 'committed', outcome: 'retry', reason: 'UnhandledRejection' });
      expect(reports[1]).toMatchObject({ end: 'committed', outcome: 'settled' });
      expect(world.metrics.total('UnhandledError', { Group: 'widgets' })).toBe(1);
      const line = world.logger.lines.find(({ message }) => message.includes('nobody caught'));
      expect(line?.fields).toMatchObject({ group: 'widgets', controller: 'widget', name: 'bad' });
    });
  });

  it('R-1.27 an uncaught error is reported and changes no pass when its pass has ended', async () => {
    await withoutRunnerListeners(async () => {
      let fail = () => {};
      const world = await widgetWorld({
        reconcile: async () => {
          const gate = new Promise<void>((resolve) => {
            fail = resolve;
          });
          void gate.then(() => {
            throw new Error('hunter2');
          });
          return { outcome: settled() };
        },
      });
      const report = await world.worker().handle(world.event(Widgets, await createWidget(world)));
      expect(report).toMatchObject({ outcome: 'settled' });
      fail();
      await new Promise((resolve) => setImmediate(resolve));
      expect(world.metrics.total('UnhandledError', { Group: 'widgets' })).toBe(1);
    });
  });
});

/**
 * Removes the test runner's listeners, because it would count each rejection as a failure. Here rejections are under
 * test.
 */
async function withoutRunnerListeners(task: () => Promise<void>): Promise<void> {
  // Created first, so that its own listener stays.
  await widgetWorld({ reconcile: widgetController().reconcile });
  const listeners = process.listeners('unhandledRejection');
  const runners = listeners.filter((listener) => !String(listener).includes('claim'));
  for (const listener of runners) process.off('unhandledRejection', listener);
  try {
    await task();
  } finally {
    for (const listener of runners) process.on('unhandledRejection', listener);
  }
}
