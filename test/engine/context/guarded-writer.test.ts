import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../lib/core/controller.ts';
import type { DesiredObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { ConfigMaps, Secrets } from '../../../lib/core/resource-type.ts';
import type { ClusterApi } from '../../../lib/ports/cluster-api.ts';
import type { World } from '../../../lib/testing/world.ts';
import { createWidget, sawGeneration, Widgets, widgetWorld } from '../../support/widget.ts';

function configMap(widget: KubeObject, data: Record<string, string>): DesiredObject {
  const { name, uid } = widget.metadata;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace: 'default',
      name: `copy-${name}`,
      ownerReferences: [{ apiVersion: 'test.evenkeel.dev/v1', kind: 'Widget', name, uid, controller: true }],
    },
    data,
  };
}

/** Writes of the pass, by what the API calls them. */
const WRITES: readonly [string, Controller['reconcile']][] = [
  [
    'create',
    async (widget, context) => {
      await context.create(ConfigMaps, configMap(widget, { a: '1' }));
      return sawGeneration(widget);
    },
  ],
  ['patch', async (widget) => sawGeneration(widget)],
];

describe('GuardedWriter', () => {
  it.each(WRITES)('R-1.5 a %s is not sent when its lease ends while it waits to be sent', async (verb, reconcile) => {
    const world = await widgetWorld({ reconcile });
    const api = new Proxy(world.api, {
      get: (target, method: keyof ClusterApi) => {
        if (method !== verb) return Reflect.get(target, method).bind(target);
        return async (...args: unknown[]) => {
          world.clock.jump(31_000);
          return await Reflect.apply(Reflect.get(target, method), target, args);
        };
      },
    });
    const widget = await createWidget(world);
    const report = await world
      .worker('worker-1', { clusters: { api: () => api } })
      .handle(world.event(Widgets, widget));
    expect(report).toMatchObject({ outcome: 'retry', reason: 'LeaseLost' });
    expect(world.server.requests.find({ verb, userAgent: 'evenkeel' })).toEqual([]);
  });

  it('R-1.20 a create sets ownership and label at once, and its event is already observed', async () => {
    const world = await widgetWorld({
      reconcile: async (widget, context) => {
        const copy = await context.get(ConfigMaps, { namespace: 'default', name: 'copy-one' });
        if (copy === undefined) await context.create(ConfigMaps, configMap(widget, { a: '1' }));
        return sawGeneration(widget);
      },
    });
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    const copy = await world.user.get(ConfigMaps, { namespace: 'default', name: 'copy-one' });
    expect(copy.metadata).toMatchObject({
      labels: { 'app.kubernetes.io/managed-by': 'evenkeel' },
      ownerReferences: [{ uid: widget.metadata.uid, controller: true }],
      managedFields: [{ manager: 'evenkeel-widget' }],
    });
    const event = world.dependencyEvent({ type: Widgets, object: widget }, { type: ConfigMaps, object: copy });
    expect(await world.worker().handle(event)).toMatchObject({ end: 'covered' });
  });

  it('R-1.18 a delete is sent only for an object that is proven to be owned, in the version that was read', async () => {
    const world: World = await widgetWorld({
      reads: [{ type: Secrets, mode: 'watch' }],
      reconcile: async (widget, context) => {
        const foreign = await context.get(ConfigMaps, { namespace: 'default', name: 'copy-one' });
        if (foreign !== undefined) await context.delete(ConfigMaps, foreign);
        return sawGeneration(widget);
      },
    });
    await world.create(ConfigMaps, { metadata: { namespace: 'default', name: 'copy-one' }, data: {} });
    const widget = await createWidget(world);
    const report = await world.worker().handle(world.event(Widgets, widget));
    expect(report).toMatchObject({ outcome: 'retry', reason: 'NotOwned', writes: 0 });
    expect(world.server.requests.find({ verb: 'delete', userAgent: 'evenkeel' })).toEqual([]);
  });

  it('R-1.3 an object is not deleted again when it is being deleted and waits for finalizers', async () => {
    const world = await widgetWorld({
      reconcile: async (widget, context) => {
        const copy = await context.get(ConfigMaps, { namespace: 'default', name: 'copy-one' });
        if (copy !== undefined) await context.delete(ConfigMaps, copy);
        return sawGeneration(widget);
      },
    });
    const widget = await createWidget(world);
    const held = configMap(widget, {});
    held.metadata.finalizers = ['example.com/hold'];
    await world.user.create(ConfigMaps, held, { fieldManager: 'test' });
    const deletes = () => world.server.requests.find({ verb: 'delete', userAgent: 'evenkeel' }).length;
    await world.worker().handle(world.event(Widgets, widget));
    expect(deletes()).toBe(1);
    await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(deletes()).toBe(1);
  });

  it('R-1.18 a delete is refused and retried from a fresh read when the object changed at the same time', async () => {
    let raced = false;
    const world: World = await widgetWorld({
      reconcile: async (widget, context) => {
        const copy = await context.get(ConfigMaps, { namespace: 'default', name: 'copy-one' });
        if (copy === undefined) return sawGeneration(widget);
        if (!raced) {
          raced = true;
          await world.edit(ConfigMaps, copy, { data: { edited: 'meanwhile' } });
        }
        await context.delete(ConfigMaps, copy);
        return sawGeneration(widget);
      },
    });
    const widget = await createWidget(world);
    await world.user.create(ConfigMaps, configMap(widget, {}), { fieldManager: 'evenkeel-widget' });
    expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({
      outcome: 'retry',
      reason: 'ApiConflict',
    });
    await world.run(5_000);
    expect((await world.user.list(ConfigMaps, { namespace: 'default' })).items).toEqual([]);
  });

  it('R-1.13 R-1.4 an apply restores our fields, removes those that are not wanted, keeps others, and is skipped when nothing changes', async () => {
    const world = await widgetWorld({
      reconcile: async (widget, context) => {
        const { data } = widget.spec as { data: Record<string, string> };
        const copy = await context.get(ConfigMaps, { namespace: 'default', name: 'copy-one' });
        if (copy === undefined) await context.create(ConfigMaps, configMap(widget, data));
        else await context.apply(ConfigMaps, copy, configMap(widget, data));
        return sawGeneration(widget);
      },
    });
    const runner = world.worker();
    const name = { namespace: 'default', name: 'copy-one' };
    const widget = await createWidget(world, 'one', { data: { a: '1', b: '2' } });
    await runner.handle(world.event(Widgets, widget));
    expect(await runner.handle(world.event(Widgets, widget, { cause: 'requested' }))).toMatchObject({ writes: 0 });
    await world.edit(ConfigMaps, await world.user.get(ConfigMaps, name), { data: { a: 'edited', foreign: 'stays' } });
    await runner.handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect((await world.user.get(ConfigMaps, name)).data).toEqual({ a: '1', b: '2', foreign: 'stays' });
    const edited = await world.edit(Widgets, widget, { spec: { data: { b: null } } });
    await runner.handle(world.event(Widgets, edited));
    const pruned = await world.user.get(ConfigMaps, name);
    expect(pruned.data).toEqual({ a: '1', foreign: 'stays' });
    expect(await runner.handle(world.event(Widgets, edited, { cause: 'requested' }))).toMatchObject({ writes: 0 });
    expect(await world.user.get(ConfigMaps, name)).toEqual(pruned);
  });

  it.each(['apply', 'mergePatch'] as const)(
    'R-1.21 %s of an object that another controller owns is refused, even if the own controller permits it',
    async (verb) => {
      const world = await widgetWorld({
        reconcile: async (widget, context) => {
          const found = await context.get(ConfigMaps, { namespace: 'default', name: 'copy-one' });
          if (found !== undefined && verb === 'apply')
            await context.apply(ConfigMaps, found, configMap(widget, { a: '1' }));
          if (found !== undefined && verb === 'mergePatch')
            await context.mergePatch(ConfigMaps, found, { data: { a: '1' } });
          return sawGeneration(widget);
        },
      });
      const other = await createWidget(world, 'other');
      const theirs = configMap(other, { theirs: '1' });
      const before = await world.create(ConfigMaps, {
        ...theirs,
        metadata: { ...theirs.metadata, name: 'copy-one' },
      });
      const report = await world.worker().handle(world.event(Widgets, await createWidget(world)));
      expect(report).toMatchObject({ outcome: 'retry', reason: 'OwnedByAnother', writes: 0 });
      expect(await world.read(ConfigMaps, before)).toEqual(before);
    },
  );

  it('I3 an apply is refused when the object changed since it was read', async () => {
    let raced = false;
    const world: World = await widgetWorld({
      reconcile: async (widget, context) => {
        const name = { namespace: 'default', name: 'copy-one' };
        const copy =
          (await context.get(ConfigMaps, name)) ?? (await context.create(ConfigMaps, configMap(widget, { a: '1' })));
        if (!raced) {
          raced = true;
          await world.edit(ConfigMaps, copy, { data: { b: 'meanwhile' } });
        }
        await context.apply(ConfigMaps, copy, configMap(widget, { a: '2' }));
        return sawGeneration(widget);
      },
    });
    const widget = await createWidget(world);
    expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({
      outcome: 'retry',
      reason: 'ApiConflict',
    });
    await world.run(5_000);
    expect((await world.user.get(ConfigMaps, { namespace: 'default', name: 'copy-one' })).data).toEqual({
      a: '2',
      b: 'meanwhile',
    });
  });

  it('R-1.19 finalizers are added and removed one by one, and others stay', async () => {
    const world = await widgetWorld({ finalizer: 'test.evenkeel.dev/widget', finalize: async () => ({ done: true }) });
    const widget = await world.create(Widgets, {
      metadata: { namespace: 'default', name: 'one', finalizers: ['other.dev/first'] },
      spec: {},
    });
    await world.worker().handle(world.event(Widgets, widget));
    expect((await world.read(Widgets, widget)).metadata.finalizers).toEqual([
      'other.dev/first',
      'test.evenkeel.dev/widget',
    ]);
    await world.remove(Widgets, widget);
    await world.worker().handle(world.event(Widgets, await world.read(Widgets, widget)));
    expect((await world.read(Widgets, widget)).metadata.finalizers).toEqual(['other.dev/first']);
  });

  it('I6 the finalizer stays while finalize is not done, and a change prevents the end of a deletion', async () => {
    let done = false;
    const world: World = await widgetWorld({
      finalizer: 'test.evenkeel.dev/widget',
      finalize: async (widget) => {
        if (!done) return { done: false, outcome: settled(), status: { phase: 'Terminating' } };
        await world.edit(Widgets, widget, { metadata: { labels: { touched: 'meanwhile' } } });
        return { done: true };
      },
    });
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    await world.remove(Widgets, widget);
    await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(await world.read(Widgets, widget)).toMatchObject({
      status: { phase: 'Terminating' },
      metadata: { finalizers: ['test.evenkeel.dev/widget'] },
    });
    done = true;
    expect(await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }))).toMatchObject({
      outcome: 'retry',
    });
    expect((await world.read(Widgets, widget)).metadata.finalizers).toEqual(['test.evenkeel.dev/widget']);
  });
});
