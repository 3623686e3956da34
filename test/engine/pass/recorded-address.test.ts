import { beforeEach, describe, expect, it } from 'vitest';
import type { SkinnyEvent } from '../../../lib/core/event.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { checkAt } from '../../../lib/core/outcome.ts';
import { ConfigMaps, kindId, Secrets } from '../../../lib/core/resource-type.ts';
import type { Target } from '../../../lib/core/target.ts';
import { ApiError, type ClusterApi } from '../../../lib/ports/cluster-api.ts';
import type { EventParts } from '../../../lib/testing/event-of.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, sawGeneration, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

let world: World;
let widget: KubeObject;
/** Runs once, in the middle of the next pass that finds its widget. */
let duringPass: (() => Promise<unknown>) | undefined;
let forgotten: Target[];

beforeEach(async () => {
  duringPass = undefined;
  forgotten = [];
  world = new World({
    controllers: [
      widgetController({
        finalizer: 'test.evenkeel.dev/widget',
        finalize: async () => ({ done: true }),
        forgotten: (target) => forgotten.push(target),
        reconcile: async (object, context) => {
          const interrupt = duringPass;
          duringPass = undefined;
          await interrupt?.();
          await context.get(Secrets, { namespace: 'default', name: 'password' });
          await context.saveValues({ step: 2 });
          return { ...sawGeneration(object), outcome: checkAt(world.clock.now() + 600_000) };
        },
      }),
    ],
  });
  await world.install([WIDGET_DEFINITION]);
  widget = await createWidget(world);
});

const HOME = { namespace: 'default', name: 'one' };
/** Forged owner references: of a copy of a child in another namespace, or with a name that the owner does not have. */
const FORGED = [
  ['another namespace', { namespace: 'elsewhere', name: 'one' }],
  ['another name', { namespace: 'default', name: 'two' }],
  ['another namespace and name', { namespace: 'kube-system', name: 'admin' }],
] as const;
const [, [, WRONG_NAME]] = FORGED;

const stateOf = ({ metadata: { uid } }: KubeObject) =>
  world.memory.readTarget({ cluster: 'test', kind: kindId(Widgets), uid });

let children = 0;
/** The event of an object whose owner reference has the widget's UID and this address. */
function childEvent(address: { namespace: string; name: string }, parts: EventParts = {}): SkinnyEvent {
  children += 1;
  const metadata = { ...address, name: 'child', uid: `child-${children}`, resourceVersion: String(1_000 + children) };
  const { namespace, name, uid, resourceVersion } = metadata;
  const changed = { kind: kindId(ConfigMaps), namespace, name, uid, resourceVersion };
  return { ...world.event(Widgets, widget, { cause: 'dependency', changed, ...parts }), ...address };
}

/** An API server that refuses to read widgets with any other name. */
function refusingElsewhere(): ClusterApi {
  return new Proxy(world.api, {
    get(api, property) {
      if (property !== 'get') return Reflect.get(api, property, api).bind(api);
      return (...args: Parameters<ClusterApi['get']>) => {
        if (args[0].kind !== Widgets.kind || args[1].name === HOME.name) return api.get(...args);
        throw new ApiError('Forbidden', 'not yours');
      };
    },
  });
}

describe('PassRunner: the recorded address of a target', () => {
  it.each(FORGED)('R-1.28 a live target keeps its state when an owner reference names %s', async (_, address) => {
    await world.worker().handle(world.event(Widgets, widget));
    const before = await stateOf(widget);
    const report = await world.worker().handle(childEvent(address));
    expect(report).toMatchObject({ end: 'committed', target: HOME });
    expect(await stateOf(widget)).toMatchObject({
      target: HOME,
      values: { step: 2 },
      edges: ['secrets/default/password'],
      dueAtMs: before?.dueAtMs,
      observedVersion: before?.observedVersion,
    });
    expect(forgotten).toEqual([]);
  });

  it('R-1.28 two live targets keep their state when an owner reference gives one of them the name of the other', async () => {
    const worker = world.worker();
    const other = await createWidget(world, WRONG_NAME.name);
    for (const object of [widget, other]) await worker.handle(world.event(Widgets, object));
    const before = await stateOf(other);
    expect(await worker.handle(childEvent(WRONG_NAME))).toMatchObject({ end: 'committed', target: HOME });
    expect(await stateOf(widget)).toMatchObject({ target: HOME, values: { step: 2 } });
    expect(await stateOf(other)).toEqual(before);
  });

  it.each(FORGED)(
    'R-1.28 an own event corrects the recorded address when the item began with %s and could not be read there',
    async (_, address) => {
      const api = refusingElsewhere();
      const worker = world.worker('worker-1', { clusters: { api: () => api } });
      const wrong = { ...address, name: 'two' };
      expect(await worker.handle(childEvent(wrong))).toMatchObject({
        end: 'committed',
        outcome: 'retry',
        target: wrong,
      });
      expect(await stateOf(widget)).toMatchObject({ target: wrong });
      expect(await worker.handle(world.event(Widgets, widget))).toMatchObject({ outcome: 'checkAt', target: HOME });
      // Events that were sent earlier still have the wrong address.
      for (const cause of ['requested', 'due', 'resync'] as const) {
        const late = childEvent(wrong, { cause, epoch: Number.MAX_SAFE_INTEGER });
        expect(await worker.handle(late)).toMatchObject({ outcome: 'checkAt', target: HOME });
      }
      expect(await stateOf(widget)).toMatchObject({ target: HOME, values: { step: 2 } });
    },
  );

  it('R-1.28 a running pass keeps its address when the event of a child with another one is marked', async () => {
    const worker = world.worker();
    await worker.handle(world.event(Widgets, widget));
    duringPass = async () => {
      const held = await world.worker('worker-2').handle(childEvent(WRONG_NAME));
      expect(held).toMatchObject({ end: 'held', target: HOME });
      expect(await stateOf(widget)).toMatchObject({ target: HOME });
    };
    const report = await worker.handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(report).toMatchObject({ end: 'committed', attempts: 2, target: HOME });
    expect(await stateOf(widget)).toMatchObject({ target: HOME, values: { step: 2 }, dirty: [] });
  });

  it.each(['created', 'updated', 'resync'] as const)(
    'R-1.28 a pass at a wrong address runs again at the right one when the own event (%s) is marked',
    async (cause) => {
      const api = world.api;
      let own: Promise<unknown> | undefined;
      const interrupted = new Proxy(api, {
        get(target, property) {
          if (property !== 'get') return Reflect.get(target, property, target).bind(target);
          return async (...args: Parameters<ClusterApi['get']>) => {
            own ??= world
              .worker('worker-2')
              .handle(world.event(Widgets, widget, { cause, ...(cause === 'resync' && { tick: 1 }) }));
            expect(await own).toMatchObject({ end: 'held' });
            return await target.get(...args);
          };
        },
      });
      const worker = world.worker('worker-1', { clusters: { api: () => interrupted } });
      const report = await worker.handle(childEvent(WRONG_NAME));
      expect(report).toMatchObject({ end: 'committed', attempts: 2, target: HOME });
      expect(await stateOf(widget)).toMatchObject({
        target: HOME,
        values: { step: 2 },
        edges: ['secrets/default/password'],
      });
      const live = await world.read(Widgets, widget);
      expect(live.metadata.finalizers).toEqual(['test.evenkeel.dev/widget']);
      expect(
        (await world.memory.readers('test', 'secrets/default/password')).items.map(({ reader }) => reader),
      ).toMatchObject([HOME]);
    },
  );

  it('R-1.28 a pass reads at the recorded address when resync reports its target missing at another one', async () => {
    const worker = world.worker();
    await worker.handle(world.event(Widgets, widget));
    const missing = world.event(Widgets, widget, { cause: 'deleted', tick: 7 });
    expect(await worker.handle({ ...missing, ...WRONG_NAME })).toMatchObject({ end: 'committed', target: HOME });
    expect(await stateOf(widget)).toMatchObject({ target: HOME, values: { step: 2 } });
  });

  it('R-1.28 a pass forgets its target at the recorded address when the event of a child has another one', async () => {
    const worker = world.worker();
    await worker.handle(world.event(Widgets, widget));
    await world.edit(Widgets, widget, { metadata: { finalizers: null } });
    await world.remove(Widgets, widget);
    const report = await worker.handle(childEvent(WRONG_NAME));
    expect(report).toMatchObject({ end: 'forgotten', target: HOME });
    expect(forgotten).toMatchObject([HOME]);
    expect(world.memory.contents()).toEqual({ targets: [], edges: [], polls: [] });
  });

  it('R-1.28 a timer starts a pass at the recorded address when the event of a child came before with another one', async () => {
    await world.worker().handle(world.event(Widgets, widget));
    await world.worker().handle(childEvent(WRONG_NAME));
    world.reports.length = 0;
    await world.run(700_000);
    const due = world.reports.filter(({ cause }) => cause === 'due');
    expect(due.length).toBeGreaterThan(0);
    for (const report of due) expect(report).toMatchObject({ end: 'committed', target: HOME });
  });
});
