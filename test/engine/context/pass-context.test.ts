import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Controller } from '../../../lib/core/controller.ts';
import type { DesiredObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import { ConfigMaps, kindId, Secrets } from '../../../lib/core/resource-type.ts';
import type { ClusterApi } from '../../../lib/ports/cluster-api.ts';
import type { StateStore } from '../../../lib/ports/state-store.ts';
import { World } from '../../../lib/testing/world.ts';
import {
  createWidget,
  interrupting,
  sawGeneration,
  WIDGET_DEFINITION,
  Widgets,
  widgetController,
} from '../../support/widget.ts';

const PASSWORD = { namespace: 'default', name: 'password' };

async function worldWith(parts: Partial<Controller>): Promise<World> {
  const world = new World({ controllers: [widgetController(parts)] });
  await world.install([WIDGET_DEFINITION]);
  return world;
}

function secret(name = 'password', value = 'MQ=='): Omit<DesiredObject, 'apiVersion' | 'kind'> {
  return { metadata: { namespace: 'default', name }, data: { value } };
}

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

const stateOf = (world: World, uid: string) => world.memory.readTarget({ cluster: 'test', kind: kindId(Widgets), uid });

describe('PassContext: reads', () => {
  it.each<[string, (context: ReconcileContext) => Promise<unknown>]>([
    ['get', (context) => context.get(Secrets, { namespace: 'default', name: 'other' })],
    ['getAgain', (context) => context.getAgain(Secrets, { namespace: 'default', name: 'other' })],
    ['list', (context) => context.list(Secrets, { namespace: 'default' })],
  ])('R-5.14 a %s that was begun beside one that failed, and is never awaited, ends no process', async (_, begin) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    const world = await worldWith({
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

  it('I2 the edge is written before the object is read, and a repeated pass writes none', async () => {
    const order: string[] = [];
    const traced = <Port extends object>(port: Port, names: readonly string[]): Port =>
      new Proxy(port, {
        get: (target, property) => {
          const value: unknown = Reflect.get(target, property, target);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => {
            if (names.includes(String(property))) order.push(String(property));
            return value.apply(target, args);
          };
        },
      });
    const world = await worldWith({
      reconcile: async (widget, context) => {
        order.length = 0;
        await context.get(Secrets, PASSWORD);
        return sawGeneration(widget);
      },
    });
    const store: StateStore = traced(world.memory, ['putEdge']);
    const api: ClusterApi = traced(world.api, ['get']);
    const runner = world.worker('worker-1', { store, clusters: { api: () => api } });
    const widget = await createWidget(world);
    await runner.handle(world.event(Widgets, widget));
    expect(order).toEqual(['putEdge', 'get']);
    await runner.handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(order).toEqual(['get']);
  });

  it('R-1.8 a change of a read object wakes its reader, the version that was read is covered', async () => {
    const world = await worldWith({
      reconcile: async (widget, context) => {
        await context.get(Secrets, PASSWORD);
        return sawGeneration(widget);
      },
    });
    const first = await world.create(Secrets, secret());
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    expect(await world.memory.readers('test', 'secrets/default/password')).toMatchObject([
      { reader: { uid: widget.metadata.uid } },
    ]);
    const target = { type: Widgets, object: widget };
    expect(await world.worker().handle(world.dependencyEvent(target, { type: Secrets, object: first }))).toMatchObject({
      end: 'covered',
    });
    const second = await world.edit(Secrets, first, { data: { value: 'Mg==' } });
    expect(await world.worker().handle(world.dependencyEvent(target, { type: Secrets, object: second }))).toMatchObject(
      { end: 'committed' },
    );
    const gone = { type: Secrets, object: second, deleted: true };
    expect(await world.worker().handle(world.dependencyEvent(target, gone))).toMatchObject({ end: 'committed' });
  });

  it('I2 an object read as absent wakes its reader when it appears', async () => {
    const world = await worldWith({
      reconcile: async (widget, context) => {
        await context.get(Secrets, PASSWORD);
        return sawGeneration(widget);
      },
    });
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    const created = await world.create(Secrets, secret());
    const event = world.dependencyEvent({ type: Widgets, object: widget }, { type: Secrets, object: created });
    expect(await world.worker().handle(event)).toMatchObject({ end: 'committed' });
  });

  it('I2 of two readings the first is recorded: a change between them is not covered', async () => {
    let between: KubeObject | undefined;
    const world: World = await worldWith({
      reconcile: async (widget, context) => {
        const seen = await context.get(Secrets, PASSWORD);
        if (between === undefined && seen !== undefined)
          between = await world.edit(Secrets, seen, { data: { value: 'Mg==' } });
        await context.getAgain(Secrets, PASSWORD);
        return sawGeneration(widget);
      },
    });
    await world.create(Secrets, secret());
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    if (between === undefined) throw new Error('the secret was not edited');
    const event = world.dependencyEvent({ type: Widgets, object: widget }, { type: Secrets, object: between });
    expect(await world.worker().handle(event)).toMatchObject({ end: 'committed' });
  });

  it('I2 a list leaves an edge of its own, and an object that it lacked is not covered by a later reading', async () => {
    const world: World = await worldWith({
      reconcile: async (_widget, context) => {
        const before = await context.list(Secrets, { namespace: 'default' });
        if (before.length === 0) {
          await world.create(Secrets, secret());
          await context.get(Secrets, PASSWORD);
        }
        return { outcome: settled(), status: { secrets: before.length } };
      },
    });
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    expect(await world.memory.readers('test', 'secrets/default/*')).toHaveLength(1);
    const created = await world.user.get(Secrets, PASSWORD);
    const event = world.dependencyEvent({ type: Widgets, object: widget }, { type: Secrets, object: created });
    expect(await world.worker().handle(event)).toMatchObject({ end: 'committed', writes: 1 });
    expect((await world.read(Widgets, widget)).status).toEqual({ secrets: 1 });
  });

  it('I2 an object that one list lacked and a later list shows is not covered', async () => {
    const team = (name: string) => ({ namespace: 'default', labelSelector: `team=${name}` });
    let created: KubeObject | undefined;
    const world: World = await worldWith({
      reconcile: async (_widget, context) => {
        const inA = await context.list(Secrets, team('a'));
        created ??= await world.create(Secrets, {
          metadata: { namespace: 'default', name: 'password', labels: { team: 'a', also: 'b' } },
        });
        await context.list(Secrets, { namespace: 'default', labelSelector: 'also=b' });
        return { outcome: settled(), status: { inA: inA.length } };
      },
    });
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    if (created === undefined) throw new Error('the secret was not created');
    const event = world.dependencyEvent({ type: Widgets, object: widget }, { type: Secrets, object: created });
    expect(await world.worker().handle(event)).toMatchObject({ end: 'committed' });
    expect((await world.read(Widgets, widget)).status).toEqual({ inA: 1 });
  });

  it('I2 an object that is read while a list that lacks it is under way is not covered', async () => {
    let created: KubeObject | undefined;
    const listAnswered = Promise.withResolvers<void>();
    const objectRead = Promise.withResolvers<void>();
    const world: World = await worldWith({
      reconcile: async (_widget, context) => {
        const listing = context.list(Secrets, { namespace: 'default' });
        await listAnswered.promise;
        created ??= await world.create(Secrets, secret());
        await context.get(Secrets, PASSWORD);
        objectRead.resolve();
        return { outcome: settled(), status: { secrets: (await listing).length } };
      },
    });
    const list = world.api.list.bind(world.api);
    world.api.list = async (...args) => {
      const page = await list(...args);
      listAnswered.resolve();
      await objectRead.promise;
      return page;
    };
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    expect((await world.read(Widgets, widget)).status).toEqual({ secrets: 0 });
    if (created === undefined) throw new Error('the secret was not created');
    const event = world.dependencyEvent({ type: Widgets, object: widget }, { type: Secrets, object: created });
    expect(await world.worker().handle(event)).toMatchObject({ end: 'committed' });
    expect((await world.read(Widgets, widget)).status).toEqual({ secrets: 1 });
  });

  it('R-5.5 a pass that reads more than an item can hold commits, and every object still wakes it', async () => {
    const names = Array.from({ length: 1_300 }, (_, index) => `${index}-${'n'.repeat(240)}`);
    let reading = names;
    const world: World = await worldWith({
      reconcile: async (widget, context) => {
        await Promise.all(reading.map((name) => context.get(Secrets, { namespace: 'default', name })));
        return sawGeneration(widget);
      },
    });
    const widget = await createWidget(world);
    for (let pass = 0; pass < 2; pass += 1) {
      const report = await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
      expect(report).toMatchObject({ end: 'committed', outcome: 'settled' });
      expect(world.memory.contents().edges).toHaveLength(names.length);
    }
    reading = [];
    await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(world.memory.contents().edges.length).toBeLessThan(names.length);
  });

  it('R-4.4 an object that is read again keeps the interval that it was first read with', async () => {
    const world = await worldWith({
      reads: [{ type: Secrets, mode: 'poll' }],
      reconcile: async (widget, context) => {
        await context.get(Secrets, PASSWORD, { pollIntervalMs: 90_000 });
        await context.getAgain(Secrets, PASSWORD);
        return sawGeneration(widget);
      },
    });
    await world.worker().handle(world.event(Widgets, await createWidget(world)));
    expect(world.memory.contents().polls).toMatchObject([{ intervalMs: 90_000 }]);
  });

  it('edges that a pass no longer uses are removed after its commit', async () => {
    const world = await worldWith({
      reconcile: async (widget, context) => {
        await context.get(Secrets, { namespace: 'default', name: String((widget.spec as { secret: string }).secret) });
        return sawGeneration(widget);
      },
    });
    const widget = await createWidget(world, 'one', { secret: 'a' });
    await world.worker().handle(world.event(Widgets, widget));
    const edited = await world.edit(Widgets, widget, { spec: { secret: 'b' } });
    await world.worker().handle(world.event(Widgets, edited));
    expect(world.memory.contents().edges.map(({ key }) => key)).toEqual(['secrets/default/b']);
  });

  it('a failed pass keeps the edges that it did not reach', async () => {
    let failing = false;
    const world: World = await worldWith({
      reconcile: async (widget, context) => {
        if (failing) throw new Error('before the read');
        await context.get(Secrets, PASSWORD);
        return sawGeneration(widget);
      },
    });
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    failing = true;
    await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(world.memory.contents().edges.map(({ key }) => key)).toEqual(['secrets/default/password']);
  });

  it('an edge that a crash left behind costs one needless pass, once', async () => {
    const world = await worldWith({});
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    const state = await stateOf(world, widget.metadata.uid);
    await world.memory.putEdge({
      cluster: 'test',
      key: 'secrets/default/password',
      reader: state?.target ?? world.event(Widgets, widget),
      epoch: 1,
    });
    const created = await world.create(Secrets, secret());
    await world
      .worker()
      .handle(world.dependencyEvent({ type: Widgets, object: widget }, { type: Secrets, object: created }));
    expect(world.memory.contents().edges).toEqual([]);
  });

  it('a kind that the controller did not declare is refused: its changes would wake nobody', async () => {
    const world = await worldWith({
      reads: [],
      reconcile: async (widget, context) => {
        await context.get(Secrets, PASSWORD);
        return sawGeneration(widget);
      },
    });
    const widget = await createWidget(world);
    expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({
      outcome: 'retry',
      reason: 'UndeclaredRead',
    });
  });
});

describe('PassContext: writes', () => {
  it('R-1.20 creates with ownership and label already set, and the event of the create is covered', async () => {
    const world = await worldWith({
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

  it('R-1.18 only an object proven to be owned is deleted, and exactly the one that was read', async () => {
    const world: World = await worldWith({
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

  it('R-1.3 an object that is being deleted and waits for finalizers is not deleted again', async () => {
    const world = await worldWith({
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

  it('R-1.18 a delete that lost a race with a change is refused and retried from a fresh read', async () => {
    let raced = false;
    const world: World = await worldWith({
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

  it('R-1.13 R-1.4 apply restores what we own, prunes what is no longer wanted, leaves what others own, and is skipped when nothing would change', async () => {
    const world = await worldWith({
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
    'R-1.21 %s of an object that another controller owns is refused, whatever the controller thinks of it',
    async (verb) => {
      const world = await worldWith({
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

  it('I3 an apply onto an object that changed since it was read is refused', async () => {
    let raced = false;
    const world: World = await worldWith({
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

  it('R-1.19 finalizers are added and removed one by one, others stay untouched', async () => {
    const world = await worldWith({ finalizer: 'test.evenkeel.dev/widget', finalize: async () => ({ done: true }) });
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

  it('I6 the finalizer stays while finalize is not done, and a deletion cannot be completed over a change', async () => {
    let done = false;
    const world: World = await worldWith({
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

  it('durable values are saved under the lease, before the effect that they describe, and read by the next pass', async () => {
    const seen: unknown[] = [];
    const world = await worldWith({
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

  it('R-6.5 one event for each transition, repeated ones counted, none from a pass that changed nothing', async () => {
    const world = await worldWith({
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

  it('R-6.5 events of an object whose name is cut are written under a name that is one', async () => {
    const world = await worldWith({
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

  it('an event that cannot be written does not fail the pass', async () => {
    const world = await worldWith({
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
