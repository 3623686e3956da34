import { describe, expect, it } from 'vitest';
import type { DesiredObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { kindId, Secrets } from '../../../lib/core/resource-type.ts';
import type { ClusterApi } from '../../../lib/ports/cluster-api.ts';
import type { StateStore } from '../../../lib/ports/state-store.ts';
import type { World } from '../../../lib/testing/world.ts';
import { createWidget, sawGeneration, Widgets, widgetWorld } from '../../support/widget.ts';

const PASSWORD = { namespace: 'default', name: 'password' };

function secret(name = 'password', value = 'MQ=='): Omit<DesiredObject, 'apiVersion' | 'kind'> {
  return { metadata: { namespace: 'default', name }, data: { value } };
}

const stateOf = (world: World, uid: string) => world.memory.readTarget({ cluster: 'test', kind: kindId(Widgets), uid });

describe('LiveReader', () => {
  it('I2 a pass writes the edge before it reads the object, and the next pass writes none', async () => {
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
    const world = await widgetWorld({
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

  it('R-1.8 a change of a read object starts a pass of its reader, and the version that was read does not', async () => {
    const world = await widgetWorld({
      reconcile: async (widget, context) => {
        await context.get(Secrets, PASSWORD);
        return sawGeneration(widget);
      },
    });
    const first = await world.create(Secrets, secret());
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    expect((await world.memory.readers('test', 'secrets/default/password')).items).toMatchObject([
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

  it('I2 an object that was read as absent starts a pass of its reader when it appears', async () => {
    const world = await widgetWorld({
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

  it('I2 the first of two reads is recorded, so that a change between them starts a pass', async () => {
    let between: KubeObject | undefined;
    const world: World = await widgetWorld({
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

  it('I2 a list writes its own edge, and a later read does not cover an object that the list did not have', async () => {
    const world: World = await widgetWorld({
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
    expect((await world.memory.readers('test', 'secrets/default/*')).items).toHaveLength(1);
    const created = await world.user.get(Secrets, PASSWORD);
    const event = world.dependencyEvent({ type: Widgets, object: widget }, { type: Secrets, object: created });
    expect(await world.worker().handle(event)).toMatchObject({ end: 'committed', writes: 1 });
    expect((await world.read(Widgets, widget)).status).toEqual({ secrets: 1 });
  });

  it('I2 an object that is in the second of two lists only starts a pass', async () => {
    const team = (name: string) => ({ namespace: 'default', labelSelector: `team=${name}` });
    let created: KubeObject | undefined;
    const world: World = await widgetWorld({
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

  it('I2 an object that is read during a list without it starts a pass', async () => {
    let created: KubeObject | undefined;
    const listAnswered = Promise.withResolvers<void>();
    const objectRead = Promise.withResolvers<void>();
    const world: World = await widgetWorld({
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

  it('R-5.5 a pass that reads more objects than an item can have commits, and each of them still starts a pass', async () => {
    const names = Array.from({ length: 1_300 }, (_, index) => `${index}-${'n'.repeat(240)}`);
    let reading = names;
    const world: World = await widgetWorld({
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

  it('R-4.4 an object that is read again keeps its first poll interval', async () => {
    const world = await widgetWorld({
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

  it('a commit removes the edges that the pass did not use', async () => {
    const world = await widgetWorld({
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
    const world: World = await widgetWorld({
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

  it('an edge that a crash left costs one needless pass', async () => {
    const world = await widgetWorld({});
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

  it('a read of an undeclared kind is refused, because its changes would start no pass', async () => {
    const world = await widgetWorld({
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
