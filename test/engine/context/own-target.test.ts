import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../lib/core/controller.ts';
import { applyMergePatch } from '../../../lib/core/json-merge.ts';
import type { JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import { ConfigMaps, kindId } from '../../../lib/core/resource-type.ts';
import type { PassReport } from '../../../lib/engine/pass/pass-report.ts';
import { ApiError, type ClusterApi } from '../../../lib/ports/cluster-api.ts';
import type { World } from '../../../lib/testing/world.ts';
import { createWidget, sawGeneration, Widgets, widgetWorld } from '../../support/widget.ts';

const FINALIZER = 'test.evenkeel.dev/widget';
const NAME = { namespace: 'default', name: 'one' };

const mark = (value: string): JsonObject => ({ metadata: { annotations: { mark: value } } });

/** A controller that may read and write Widgets, its own kind. */
const worldWith = (reconcile: Controller['reconcile'], parts: Partial<Controller> = {}): Promise<World> =>
  widgetWorld({ reads: [{ type: Widgets, mode: 'watch' }], reconcile, ...parts });

const handle = (world: World, widget: KubeObject, cause: 'updated' | 'requested' = 'updated'): Promise<PassReport> =>
  world.worker().handle(world.event(Widgets, widget, { cause }));

const stateOf = (world: World, { metadata: { uid } }: KubeObject) =>
  world.memory.readTarget({ cluster: 'test', kind: kindId(Widgets), uid });

const versionOf = ({ metadata }: KubeObject) => Number(metadata.resourceVersion);

function apply(context: ReconcileContext, widget: KubeObject): Promise<KubeObject> {
  return context.apply(Widgets, widget, {
    apiVersion: 'test.evenkeel.dev/v1',
    kind: 'Widget',
    metadata: { ...NAME, annotations: { mark: '1' } },
    spec: {},
  });
}

describe('GuardedWriter: what a pass writes of its own target', () => {
  it.each<[string, string, number, (context: ReconcileContext, widget: KubeObject) => Promise<KubeObject>]>([
    ['a merge patch', 'test', 2, (context, widget) => context.mergePatch(Widgets, widget, mark('1'))],
    ['an apply', 'test', 2, apply],
    ['an apply over what its manager created', 'evenkeel-widget', 3, apply],
  ])(
    'I5 R-1.12 %s is observed: its result guards the status, and its event costs no pass',
    async (_, fieldManager, writes, write) => {
      let written: KubeObject | undefined;
      const world = await worldWith(async (widget, context) => {
        written = await write(context, widget);
        return sawGeneration(widget);
      });
      const widget = await world.user.create(
        Widgets,
        { apiVersion: 'test.evenkeel.dev/v1', kind: 'Widget', metadata: NAME, spec: {} },
        { fieldManager },
      );
      expect(await handle(world, widget)).toMatchObject({ outcome: 'settled', writes });
      const after = await world.read(Widgets, widget);
      expect(after).toMatchObject({ metadata: { annotations: { mark: '1' } }, status: { seen: 1 } });
      expect((await stateOf(world, widget))?.observedVersion).toBe(versionOf(after));
      for (const seen of [written ?? widget, after]) expect((await handle(world, seen)).end).toBe('covered');
    },
  );

  it('I2 R-1.12 a spec that the pass itself changed is reconciled by exactly one later pass', async () => {
    const specs: unknown[] = [];
    const world = await worldWith(async (widget, context) => {
      specs.push(widget.spec);
      await context.mergePatch(Widgets, widget, { spec: { size: 3 } });
      return sawGeneration(widget);
    });
    const widget = await createWidget(world);
    expect(await handle(world, widget)).toMatchObject({ outcome: 'settled', writes: 2 });
    const after = await world.read(Widgets, widget);
    expect(await handle(world, after)).toMatchObject({ outcome: 'settled', writes: 1 });
    const settled = await world.read(Widgets, widget);
    expect(settled).toMatchObject({ metadata: { generation: 2 }, spec: { size: 3 }, status: { seen: 2 } });
    for (const seen of [after, settled]) expect((await handle(world, seen)).end).toBe('covered');
    expect(specs).toEqual([widget.spec, settled.spec]);
  });

  it.each([
    ['its data', { data: { size: '3' } }, 'committed'],
    ['its annotations', mark('1'), 'covered'],
  ])(
    'I2 I5 a pass tells its own write of %s from others when the API server counts no spec changes: %j',
    async (_, patch, end) => {
      const world = await worldWith(
        async (object, context) => {
          await context.mergePatch(ConfigMaps, object, patch);
          return { outcome: settled() };
        },
        { type: ConfigMaps, reads: [{ type: ConfigMaps, mode: 'watch' }] },
      );
      const object = await world.create(ConfigMaps, { metadata: NAME });
      const next = async () =>
        (await world.worker().handle(world.event(ConfigMaps, await world.user.get(ConfigMaps, NAME)))).end;
      await world.worker().handle(world.event(ConfigMaps, object));
      expect(await next()).toBe(end);
      expect(await next()).toBe('covered');
    },
  );

  it('I5 an own write is also observed when it is the last one of its pass', async () => {
    const world = await worldWith(async (widget, context) => {
      await context.mergePatch(Widgets, widget, mark('1'));
      return { outcome: settled() };
    });
    const widget = await createWidget(world);
    await handle(world, widget);
    expect((await handle(world, await world.read(Widgets, widget))).end).toBe('covered');
  });

  it('R-1.3 an own write that changes nothing is not sent, and the loaded version stays observed', async () => {
    const world = await worldWith(async (widget, context) => {
      await context.mergePatch(Widgets, widget, mark('1'));
      return { outcome: settled() };
    });
    const widget = await world.create(Widgets, { metadata: { ...NAME, annotations: { mark: '1' } }, spec: {} });
    expect(await handle(world, widget)).toMatchObject({ outcome: 'settled', writes: 0 });
    expect((await stateOf(world, widget))?.observedVersion).toBe(versionOf(widget));
  });

  it('I2 I3 an own write is not observed when it is based on a later read than the load', async () => {
    let status: JsonObject | undefined;
    const world: World = await worldWith(async (widget, context) => {
      if (widget.metadata.labels?.edited === undefined) await world.edit(Widgets, widget, labelled);
      const again = await context.getAgain(Widgets, NAME);
      if (again !== undefined) await context.mergePatch(Widgets, again, mark('1'));
      return { outcome: settled(), ...(status !== undefined && { status }) };
    });
    const labelled = { metadata: { labels: { edited: 'meanwhile' } } };
    const widget = await createWidget(world);
    await handle(world, widget);
    expect((await stateOf(world, widget))?.observedVersion).toBe(versionOf(widget));
    expect((await handle(world, await world.read(Widgets, widget))).end).toBe('committed');

    status = { seen: 1 };
    await world.edit(Widgets, widget, { metadata: { labels: null, annotations: null } });
    expect(await handle(world, widget, 'requested')).toMatchObject({ outcome: 'retry', reason: 'ApiConflict' });
    expect((await world.read(Widgets, widget)).status).toBeUndefined();
  });

  it.each(['resourceVersion', 'uid'])('I2 an own write without %s is not observed', async (left) => {
    const world: World = await worldWith(async (widget, context) => {
      const observed = applyMergePatch(widget, { metadata: { [left]: null } }) as unknown as KubeObject;
      await context.mergePatch(Widgets, observed, mark('1'));
      return { outcome: settled() };
    });
    const widget = await createWidget(world);
    expect(await handle(world, widget)).toMatchObject({ outcome: 'settled', writes: 1 });
    expect((await stateOf(world, widget))?.observedVersion).toBe(versionOf(widget));
    expect((await handle(world, await world.read(Widgets, widget))).end).toBe('committed');
  });

  it('I2 an own write whose answer was lost is not observed, and a later status is refused', async () => {
    const world: World = await worldWith(async (widget, context) => {
      await context.mergePatch(Widgets, widget, mark('1')).catch(() => undefined);
      return sawGeneration(widget);
    });
    const lossy = new Proxy(world.api, {
      get: (api, property) => {
        const value: unknown = Reflect.get(api, property, api);
        if (property !== 'patch') return typeof value === 'function' ? value.bind(api) : value;
        return async (...args: Parameters<ClusterApi['patch']>) => {
          const written = await api.patch(...args);
          if (args[3].subresource !== 'status') throw new ApiError('Timeout', 'the answer was lost');
          return written;
        };
      },
    });
    const widget = await createWidget(world);
    const event = world.event(Widgets, widget);
    const report = await world.worker('worker-1', { clusters: { api: () => lossy } }).handle(event);
    expect(report).toMatchObject({ outcome: 'retry', reason: 'ApiConflict' });
    const after = await world.read(Widgets, widget);
    expect(after.metadata.annotations).toEqual({ mark: '1' });
    expect((await stateOf(world, widget))?.observedVersion).toBe(versionOf(widget));
    expect(await handle(world, after)).toMatchObject({ end: 'committed', outcome: 'settled' });
  });

  it('R-1.12 another object of the same kind does not count as the target', async () => {
    const world = await worldWith(async (widget, context) => {
      const other = await context.get(Widgets, { namespace: 'default', name: 'other' });
      if (other !== undefined) await context.mergePatch(Widgets, other, mark('1'));
      return sawGeneration(widget);
    });
    const other = await createWidget(world, 'other');
    const widget = await createWidget(world);
    expect(await handle(world, widget)).toMatchObject({ outcome: 'settled', writes: 2 });
    expect((await world.read(Widgets, other)).status).toBeUndefined();
    const after = await world.read(Widgets, widget);
    expect((await stateOf(world, widget))?.observedVersion).toBe(versionOf(after));
  });

  it('I5 R-1.12 a target that its own pass also reads as a dependency has one known version', async () => {
    const seen: unknown[] = [];
    const world = await worldWith(async (widget, context) => {
      await context.get(Widgets, NAME);
      await context.publishStatus({ place: 'a' });
      const published = await context.get(Widgets, NAME);
      seen.push(published?.status);
      if (published !== undefined) await context.mergePatch(Widgets, published, mark('1'));
      seen.push((await context.get(Widgets, NAME))?.metadata.annotations);
      return { outcome: settled(), status: { place: 'a', seen: widget.metadata.generation ?? 0 } };
    });
    const widget = await createWidget(world);
    expect(await handle(world, widget)).toMatchObject({ outcome: 'settled', writes: 3 });
    expect(seen).toEqual([{ place: 'a' }, { mark: '1' }]);
    const version = versionOf(await world.read(Widgets, widget));
    expect(await stateOf(world, widget)).toMatchObject({
      observedVersion: version,
      versions: { [`${kindId(Widgets)}/default/one`]: version },
    });
  });

  it('I2 a target that was not read as a dependency gets an edge before that read', async () => {
    const world = await worldWith(async (widget, context) => {
      await context.publishStatus({ place: 'a' });
      const read = await context.get(Widgets, NAME);
      return { outcome: settled(), status: { place: 'a', read: read?.metadata.uid === widget.metadata.uid } };
    });
    const widget = await createWidget(world);
    expect(await handle(world, widget)).toMatchObject({ outcome: 'settled' });
    expect((await world.memory.readers('test', `${kindId(Widgets)}/default/one`)).items).toHaveLength(1);
  });
});

describe('GuardedWriter: what a pass writes of its own target while its message is not alone', () => {
  /** Delivers the event of the object's current version while the pass runs. */
  const meet = async (world: World, widget: KubeObject) => {
    const event = world.event(Widgets, await world.read(Widgets, widget));
    expect((await world.worker('worker-2').handle(event)).end).toBe('held');
  };

  it('I5 the event of an own write that arrives during the pass does not make the pass run again', async () => {
    const world: World = await worldWith(async (widget, context) => {
      await context.mergePatch(Widgets, widget, mark('1'));
      await meet(world, widget);
      return { outcome: settled() };
    });
    expect(await handle(world, await createWidget(world))).toMatchObject({ end: 'committed', attempts: 1 });
  });

  it('R-1.8 I3 a change after an own write makes the pass run again, with a new load', async () => {
    const loaded: unknown[] = [];
    const world: World = await worldWith(async (widget, context) => {
      loaded.push(widget.metadata.labels?.edited);
      await context.mergePatch(Widgets, widget, mark('1'));
      if (loaded.length > 1) return sawGeneration(widget);
      await world.edit(Widgets, widget, { metadata: { labels: { edited: 'meanwhile' } } });
      await meet(world, widget);
      return { outcome: settled() };
    });
    const widget = await createWidget(world);
    expect(await handle(world, widget)).toMatchObject({ end: 'committed', attempts: 2, writes: 2 });
    expect(loaded).toEqual([undefined, 'meanwhile']);
    const after = await world.read(Widgets, widget);
    expect(after.status).toEqual({ seen: 1 });
    expect((await stateOf(world, widget))?.observedVersion).toBe(versionOf(after));
  });
});

describe('GuardedWriter: what a pass writes of its own target while that is deleted', () => {
  const without: JsonObject = { metadata: { finalizers: null } };

  it.each<[string, number, (context: ReconcileContext, widget: KubeObject) => Promise<unknown>]>([
    ['a merge patch', 2, (context, widget) => context.mergePatch(Widgets, widget, mark('1'))],
    ['a status', 2, (context) => context.publishStatus({ phase: 'Terminating' })],
    ['a merge patch that takes the finalizer itself', 1, (context, read) => context.mergePatch(Widgets, read, without)],
  ])('R-1.15 R-1.19 the finalizer and the target are removed in the same pass after %s', async (_, writes, write) => {
    const world = await worldWith(async (widget) => sawGeneration(widget), {
      finalizer: FINALIZER,
      finalize: async (widget, context) => {
        await write(context, widget);
        return { done: true };
      },
    });
    const widget = await createWidget(world);
    await handle(world, widget);
    await world.remove(Widgets, widget);
    const deleting = await world.read(Widgets, widget);
    expect(await handle(world, deleting)).toMatchObject({ end: 'committed', outcome: 'settled', writes });
    expect((await world.user.list(Widgets)).items).toEqual([]);
    const gone = world.event(Widgets, deleting, { cause: 'deleted' });
    expect((await world.worker().handle(gone)).end).toBe('forgotten');
    expect(await stateOf(world, widget)).toBeUndefined();
  });

  it('R-1.19 the finalizer stays while finalize is not done, and the own write guards the status', async () => {
    const world = await worldWith(async (widget) => sawGeneration(widget), {
      finalizer: FINALIZER,
      finalize: async (widget, context) => {
        await context.mergePatch(Widgets, widget, mark('1'));
        return { done: false, outcome: settled(), status: { phase: 'Terminating' } };
      },
    });
    const widget = await createWidget(world);
    await handle(world, widget);
    await world.remove(Widgets, widget);
    expect(await handle(world, await world.read(Widgets, widget))).toMatchObject({ outcome: 'settled', writes: 2 });
    const after = await world.read(Widgets, widget);
    expect(after).toMatchObject({ metadata: { finalizers: [FINALIZER] }, status: { phase: 'Terminating' } });
    expect((await handle(world, after)).end).toBe('covered');
  });
});
