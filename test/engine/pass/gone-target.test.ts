import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../lib/core/controller.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { kindId } from '../../../lib/core/resource-type.ts';
import type { World } from '../../../lib/testing/world.ts';
import { createWidget, interrupting, sawGeneration, Widgets, widgetWorld } from '../../support/widget.ts';

const FINALIZER = 'test.evenkeel.dev/widget';
type Before = (world: World, widget: KubeObject) => Promise<void>;

const deleted: Before = async (world, widget) => await world.remove(Widgets, widget);
const replaced: Before = async (world, widget) => {
  await world.remove(Widgets, widget);
  await createWidget(world, widget.metadata.name);
};
const freed: Before = async (world, widget) => {
  await world.remove(Widgets, widget);
  await world.edit(Widgets, await world.read(Widgets, widget), { metadata: { finalizers: null } });
};

describe('a target that goes during its own pass', () => {
  const writes: readonly [string, Before, Partial<Controller>][] = [
    ['its status is written', deleted, {}],
    ['its status is written, and another has its name', replaced, {}],
    [
      'its controller patches it',
      deleted,
      {
        reads: [{ type: Widgets, mode: 'watch' }],
        reconcile: async (widget, context) => {
          await context.mergePatch(Widgets, widget, { metadata: { labels: { seen: 'yes' } } });
          return { outcome: settled() };
        },
      },
    ],
    [
      'its controller publishes a status in the middle',
      deleted,
      {
        reconcile: async (_, context) => {
          await context.publishStatus({ step: 1 });
          return { outcome: settled() };
        },
      },
    ],
  ];

  it.each(writes)(
    'R-2.1 a pass ends as forgotten, without an error in the log or a retry, when %s',
    async (_, change, parts) => {
      const { reconcile = async (widget: KubeObject) => sawGeneration(widget), ...rest } = parts;
      let done = false;
      const world: World = await widgetWorld({
        ...rest,
        reconcile: interrupting(async (widget) => {
          if (!done) await change(world, widget);
          done = true;
        }, reconcile),
      });
      const widget = await createWidget(world);
      expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({ end: 'forgotten' });
      expect(world.logger.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
      expect([world.metrics.total('Retry'), world.metrics.total('Conflict')]).toEqual([0, 0]);
      const key = { cluster: 'test', kind: kindId(Widgets), uid: widget.metadata.uid };
      expect(await world.memory.readTarget(key)).toBeUndefined();
    },
  );

  it.each([
    ['its finalizer is taken off', freed],
    [
      'its finalizer is taken off, and another has its name',
      async (world, widget) => {
        await world.edit(Widgets, widget, { metadata: { finalizers: null } });
        await createWidget(world, widget.metadata.name);
      },
    ],
  ] as readonly [string, Before][])(
    'R-2.1 a pass ends as forgotten, without an error in the log or a retry, when %s',
    async (_, change) => {
      const world: World = await widgetWorld({
        finalizer: FINALIZER,
        finalize: async (widget) => {
          await change(world, widget);
          return { done: true };
        },
      });
      const metadata = { namespace: 'default', name: 'one', finalizers: [FINALIZER] };
      const widget = await world.create(Widgets, { metadata, spec: {} });
      await world.remove(Widgets, widget);
      const report = await world.worker().handle(world.event(Widgets, await world.read(Widgets, widget)));
      expect(report).toMatchObject({ end: 'forgotten' });
      expect(world.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
      expect(world.metrics.total('Retry')).toBe(0);
    },
  );

  it('R-2.1 a pass is retried, with a line in the log, when the absent object is not the target', async () => {
    const world: World = await widgetWorld({
      reconcile: interrupting(async (widget) => void (await world.edit(Widgets, widget, { spec: { size: 9 } }))),
    });
    const widget = await createWidget(world);
    const report = await world.worker().handle(world.event(Widgets, widget));
    expect(report).toMatchObject({ end: 'committed', outcome: 'retry', reason: 'ApiConflict' });
  });

  it('R-1.17 a target does not count as gone when it cannot be read', async () => {
    const world: World = await widgetWorld({
      reconcile: interrupting(async (widget) => {
        await world.remove(Widgets, widget);
        world.server.inject({
          match: ({ verb }) => verb === 'get',
          fault: { status: 503, reason: 'ServiceUnavailable' },
          times: 1,
        });
      }),
    });
    const widget = await createWidget(world);
    expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({ outcome: 'retry' });
  });
});
