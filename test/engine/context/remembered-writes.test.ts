import { describe, expect, it } from 'vitest';
import type { DesiredObject, JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import { ConfigMaps, Deployments, Secrets } from '../../../lib/core/resource-type.ts';
import type { CommitRecord, TargetState } from '../../../lib/ports/state-store.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, sawGeneration, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const NAME = { namespace: 'default', name: 'one' };
const labels = { app: 'one' };

/**
 * A Deployment from the widget's spec. Defaulting adds so much that the created object never equals the one that was
 * sent.
 */
function deployment(widget: KubeObject): DesiredObject {
  const { name, uid } = widget.metadata;
  const { annotations = {}, hostNetwork, cpu = '1000m' } = widget.spec as JsonObject;
  const container = { name: 'one', image: 'one:1', resources: { limits: { cpu } } };
  const podSpec = { ...(hostNetwork !== undefined && { hostNetwork }), containers: [container] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      ...NAME,
      annotations: annotations as Record<string, string>,
      ownerReferences: [{ apiVersion: 'test.evenkeel.dev/v1', kind: 'Widget', name, uid, controller: true }],
    },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
  };
}

async function setUp(spec: JsonObject = {}, options: ConstructorParameters<typeof World>[0] | object = {}) {
  const world = new World({
    controllers: [
      widgetController({
        owns: [Deployments],
        reconcile: async (widget, context) => {
          const present = await context.get(Deployments, NAME);
          if ((widget.spec as JsonObject).idle === true) return { outcome: settled() };
          if (present === undefined) await context.create(Deployments, deployment(widget));
          else await context.apply(Deployments, present, deployment(widget));
          return { outcome: settled() };
        },
      }),
    ],
    ...options,
  });
  await world.install([WIDGET_DEFINITION]);
  let widget = await createWidget(world, 'one', spec);
  const pass = async () => await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
  const edit = async (patch: JsonObject) => {
    widget = await world.edit(Widgets, widget, { spec: patch });
  };
  const made = () => world.user.get(Deployments, NAME);
  const remembered = async () => {
    const kind = 'widgets.test.evenkeel.dev';
    return (await world.store.readTarget({ cluster: 'test', kind, uid: widget.metadata.uid }))?.rememberedWrites ?? [];
  };
  return { world, pass, edit, made, remembered };
}

describe('a write that the API server answers in its own form', () => {
  it('R-1.32 R-1.4 a field of a creation is removed when the controller drops it after passes without a write', async () => {
    const { pass, edit, made } = await setUp({ annotations: { a: '1', b: '2' } });
    expect([await pass(), await pass()].map(({ writes }) => writes)).toEqual([1, 0]);
    await edit({ annotations: { b: null } });
    await pass();
    expect((await made()).metadata.annotations).toEqual({ a: '1' });
    expect(await pass()).toMatchObject({ outcome: 'settled', writes: 0 });
  });

  it.each<[string, JsonObject, object]>([
    ['a field that was sent empty is set', { hostNetwork: false }, { hostNetwork: true }],
    [
      'a quantity is changed',
      {},
      { containers: [{ name: 'one', image: 'one:1', resources: { limits: { cpu: '2' } } }] },
    ],
    ['an image is changed', {}, { containers: [{ name: 'one', image: 'two:1', resources: { limits: { cpu: '1' } } }] }],
  ])('R-1.32 R-1.4 the wanted value is restored once when somebody else %s', async (_, spec, changed) => {
    const { world, pass, made } = await setUp(spec);
    await pass();
    const before = ((await made()).spec as JsonObject).template;
    await world.edit(Deployments, await made(), { spec: { template: { spec: changed } } });
    expect((await pass()).writes).toBeGreaterThan(0);
    expect(((await made()).spec as JsonObject).template).toEqual(before);
    expect(await pass()).toMatchObject({ outcome: 'settled', writes: 0 });
  });

  it('R-1.32 a pass writes nothing when another field of the object changed', async () => {
    const { world, pass, made } = await setUp({ hostNetwork: false });
    await pass();
    await world.edit(Deployments, await made(), {
      metadata: { annotations: { theirs: 'x' }, labels: { theirs: 'x' } },
    });
    expect(await pass()).toMatchObject({ outcome: 'settled', writes: 0 });
  });

  it('R-1.32 a write is sent once more, and not in every pass, when the process ended before its commit', async () => {
    let crash = true;
    const { world, pass } = await setUp(
      {},
      {
        wrapStore: (store: World['memory']) =>
          new Proxy(store, {
            get: (target, name) => {
              if (name === 'commit' && crash) return async () => new Promise(() => {});
              const member: unknown = Reflect.get(target, name);
              return typeof member === 'function' ? member.bind(target) : member;
            },
          }),
      },
    );
    void pass();
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    crash = false;
    await world.clock.advance(60_000);
    const writes = [await pass(), await pass(), await pass()].map((report) => report.writes);
    expect(writes.slice(1)).toEqual([0, 0]);
    expect(writes[0]).toBeGreaterThan(0);
  });

  it('R-1.32 a write stays remembered when a pass does not reach it, and is forgotten with the object', async () => {
    const { world, pass, edit, made, remembered } = await setUp();
    await pass();
    expect(await remembered()).toHaveLength(1);
    await edit({ idle: true });
    await pass();
    expect(await remembered()).toHaveLength(1);
    await edit({ idle: null });
    expect(await pass()).toMatchObject({ writes: 0 });
    await edit({ idle: true });
    await world.remove(Deployments, await made());
    await pass();
    expect(await remembered()).toEqual([]);
  });

  it('R-1.32 R-6.8 a write is sent again when an older release kept the digests and wrote something else in between', async () => {
    const { world, pass, edit, made, remembered } = await setUp({ annotations: { a: '1' } });
    await pass();
    const marks = await remembered();
    const store = world.memory;
    const commit = store.commit.bind(store);
    // An older release commits without the attribute. The table keeps the old value.
    store.commit = (hold, record: CommitRecord, seen) => commit(hold, { ...record, rememberedWrites: marks }, seen);
    await edit({ annotations: { a: '2', b: '2' } });
    await pass();
    store.commit = commit;
    expect(await remembered()).toEqual(marks);
    await edit({ annotations: { a: '1', b: null } });
    await pass();
    expect((await made()).metadata.annotations).toEqual({ a: '1' });
    expect(await pass()).toMatchObject({ writes: 0 });
  });

  it('R-1.32 the next attempt remembers a write when a pending mark arrives during the creating pass', async () => {
    let edited = false;
    const world: World = new World({
      controllers: [
        widgetController({
          owns: [Deployments],
          reconcile: async (widget, context) => {
            const present = await context.get(Deployments, NAME);
            if (present === undefined) await context.create(Deployments, deployment(widget));
            else await context.apply(Deployments, present, deployment(widget));
            if (!edited) {
              edited = true;
              const touched = await world.edit(Widgets, widget, { metadata: { labels: { touched: 'yes' } } });
              await world.worker('worker-2').handle(world.event(Widgets, touched));
            }
            return { outcome: settled() };
          },
        }),
      ],
    });
    await world.install([WIDGET_DEFINITION]);
    const widget = await createWidget(world);
    expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({ attempts: 2, writes: 1 });
  });

  it('R-1.32 writes are remembered for at most 500 objects, in 23 KB of the item', async () => {
    const controller = widgetController({
      owns: [Secrets],
      reconcile: async (widget, context) => {
        const { name, uid } = widget.metadata;
        for (let index = 0; index < 510; index += 1) {
          const metadata = {
            namespace: 'default',
            name: `secret-${index}`,
            ownerReferences: [{ apiVersion: 'test.evenkeel.dev/v1', kind: 'Widget', name, uid, controller: true }],
          };
          const wanted = { apiVersion: 'v1', kind: 'Secret', metadata, data: { a: 'eA==' } };
          const present = await context.get(Secrets, metadata);
          if (present === undefined) await context.create(Secrets, wanted);
          else await context.apply(Secrets, present, wanted);
        }
        return { outcome: settled() };
      },
    });
    const world = new World({ controllers: [controller] });
    await world.install([WIDGET_DEFINITION]);
    const widget = await createWidget(world);
    const event = world.event(Widgets, widget, { cause: 'requested' });
    expect(await world.worker().handle(event)).toMatchObject({ outcome: 'settled', writes: 510 });
    const kind = 'widgets.test.evenkeel.dev';
    const state = (await world.store.readTarget({ cluster: 'test', kind, uid: widget.metadata.uid })) as TargetState;
    expect(state.rememberedWrites).toHaveLength(500);
    expect(Math.max(...(state.rememberedWrites ?? []).map((mark) => mark.length))).toBe(45);
    // The ten writes that do not fit are each repeated as a migration and an apply; then they equal the wanted state.
    expect(await world.worker().handle(event)).toMatchObject({ writes: 20 });
    expect(await world.worker().handle(event)).toMatchObject({ writes: 0 });
  });
});

describe('a status', () => {
  it.each<[string, JsonObject]>([
    ['null', { phase: 'Ready', reason: null }],
    ['null in an object', { phase: 'Ready', detail: { a: 1, b: null } }],
    ['nothing but null', { detail: { a: null } }],
    ['null in a list', { items: [{ a: 1, b: null }] }],
  ])('R-1.32 a status is published once when it has %s', async (_, status) => {
    const world = new World({
      controllers: [widgetController({ reconcile: async () => ({ outcome: settled(), status }) })],
    });
    await world.install([WIDGET_DEFINITION]);
    const event = world.event(Widgets, await createWidget(world), { cause: 'requested' });
    const worker = world.worker();
    const writes = [await worker.handle(event), await worker.handle(event)].map((report) => report.writes);
    expect(writes).toEqual([1, 0]);
  });

  it('R-1.32 a status is sent again once a day when the schema drops a part of it, so that a newer schema can take it', async () => {
    const definition = structuredClone(WIDGET_DEFINITION);
    const { properties } = definition.spec.versions[0]?.schema.openAPIV3Schema ?? { properties: undefined };
    const known = { type: 'object', properties: { phase: { type: 'string' } } };
    Object.assign(properties ?? {}, { status: known });
    const status = { phase: 'Ready', novel: 'x' };
    const world = new World({
      controllers: [widgetController({ reconcile: async () => ({ outcome: settled(), status }) })],
    });
    await world.install([definition]);
    const event = world.event(Widgets, await createWidget(world), { cause: 'requested' });
    const worker = world.worker();
    const writes = [(await worker.handle(event)).writes, (await worker.handle(event)).writes];
    await world.clock.advance(86_400_000);
    writes.push((await worker.handle(event)).writes, (await worker.handle(event)).writes);
    expect(writes).toEqual([1, 0, 1, 0]);
  });
});

describe('a merge patch', () => {
  it.each<[string, typeof ConfigMaps, JsonObject]>([
    ['an empty map', ConfigMaps, { metadata: { annotations: {} } }],
    ['empty data', ConfigMaps, { binaryData: {} }],
    ['stringData', Secrets, { stringData: { user: 'me' } }],
    ['null for what the API server fills in', Secrets, { type: null }],
  ])('R-1.32 a merge patch is sent once when it has %s', async (_, type, patch) => {
    const world = new World({
      controllers: [
        widgetController({
          reconcile: async (widget, context) => {
            const present = await context.get(type, NAME);
            if (present !== undefined) await context.mergePatch(type, present, patch);
            return { ...sawGeneration(widget), outcome: settled() };
          },
        }),
      ],
    });
    await world.install([WIDGET_DEFINITION]);
    await world.create(type, { metadata: NAME, data: {} });
    const event = world.event(Widgets, await createWidget(world), { cause: 'requested' });
    const worker = world.worker();
    await worker.handle(event);
    expect(await worker.handle(event)).toMatchObject({ outcome: 'settled', writes: 0 });
  });
});
