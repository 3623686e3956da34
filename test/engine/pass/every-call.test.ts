import { describe, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import { ConfigMaps, Secrets } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { type CallFault, CallFaults } from '../../../lib/testing/call-faults.ts';
import { World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const FINALIZER = 'test.evenkeel.dev/widget';
const SECRET = { namespace: 'default', name: 'password' };

/** Owns one ConfigMap that copies the spec, reads a Secret, and cleans up in order. */
async function reconcile(widget: KubeObject, context: ReconcileContext) {
  const secret = await context.get(Secrets, SECRET);
  const name = { namespace: 'default', name: `copy-${widget.metadata.name}` };
  const desired = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      ...name,
      ownerReferences: [
        {
          apiVersion: 'test.evenkeel.dev/v1',
          kind: 'Widget',
          name: widget.metadata.name,
          uid: widget.metadata.uid,
          controller: true,
        },
      ],
    },
    data: { spec: JSON.stringify(widget.spec) },
  };
  const copy = await context.get(ConfigMaps, name);
  if (copy === undefined) await context.create(ConfigMaps, desired);
  else await context.apply(ConfigMaps, copy, desired);
  return {
    outcome: settled(),
    status: { seen: widget.metadata.generation ?? 0, secret: secret?.metadata.uid ?? 'absent' },
  };
}

async function finalize(widget: KubeObject, context: ReconcileContext) {
  const copy = await context.get(ConfigMaps, { namespace: 'default', name: `copy-${widget.metadata.name}` });
  if (copy === undefined) return { done: true } as const;
  await context.delete(ConfigMaps, copy);
  const left = await context.getAgain(ConfigMaps, { namespace: 'default', name: copy.metadata.name });
  return left === undefined ? ({ done: true } as const) : ({ done: false, outcome: settled() } as const);
}

const controller = widgetController({ finalizer: FINALIZER, reconcile, finalize });

interface Scenario {
  readonly name: string;
  /** Prepares the world for the faulty pass, and returns the event that the pass handles. */
  prepare(world: World): Promise<Parameters<ReturnType<World['worker']>['handle']>[0]>;
  /** Checks the final state. */
  check(world: World): Promise<void>;
}

const SCENARIOS: Scenario[] = [
  {
    name: 'the first pass',
    prepare: async (world) => world.event(Widgets, await createWidget(world)),
    check: async (world) => await expectConverged(world, 1),
  },
  {
    name: 'a pass after an edit',
    prepare: async (world) => {
      const widget = await createWidget(world);
      await world.worker().handle(world.event(Widgets, widget));
      return world.event(Widgets, await world.edit(Widgets, widget, { spec: { size: 2 } }));
    },
    check: async (world) => await expectConverged(world, 2),
  },
  {
    name: 'a deletion',
    prepare: async (world) => {
      const widget = await createWidget(world);
      await world.worker().handle(world.event(Widgets, widget));
      await world.remove(Widgets, widget);
      return world.event(Widgets, await world.read(Widgets, widget));
    },
    check: async (world) => {
      const left = [
        ...(await world.user.list(Widgets)).items,
        ...(await world.user.list(ConfigMaps, { namespace: 'default' })).items,
      ];
      expect(left.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    },
  },
];

async function expectConverged(world: World, generation: number): Promise<void> {
  const widget = await world.user.get(Widgets, { namespace: 'default', name: 'one' });
  expect(widget.status).toEqual({ seen: generation, secret: 'absent' });
  expect(widget.metadata.finalizers).toEqual([FINALIZER]);
  const { items } = await world.user.list(ConfigMaps, { namespace: 'default' });
  expect(items.map(({ data }) => data)).toEqual([{ spec: JSON.stringify(widget.spec) }]);
}

async function runScenario(scenario: Scenario, faults: CallFaults): Promise<World> {
  const world = new World({ controllers: [controller] });
  await world.install([WIDGET_DEFINITION]);
  const event = await scenario.prepare(world);
  const infrastructure = (method: string) => new InfrastructureError(`${method} was not answered`);
  const faulty = world.worker('faulty', {
    store: faults.wrap(world.memory, 'store', infrastructure),
    wakes: faults.wrap(world.wakes, 'wakes', infrastructure),
    clusters: {
      api: () => faults.wrap(world.api, 'api', (method) => new ApiError('Timeout', `${method} was not answered`)),
    },
  });
  // The faulty worker handles the message once. If it did not acknowledge the message, the queue delivers it again.
  await world.sender.sendAll('events', [event]);
  await world.drain(faulty);
  await world.run(10 * 60_000, undefined, 5_000);
  return world;
}

for (const scenario of SCENARIOS) {
  describe(`R-5.5 R-5.6 R-1.15 ${scenario.name}, with a fault at every call`, async () => {
    const probe = new CallFaults();
    await scenario.check(await runScenario(scenario, probe));
    const cases = (['crash-before', 'crash-after', 'lose-answer', 'fail'] as CallFault[]).flatMap((fault) =>
      Array.from({ length: probe.calls }, (_, at) => ({ fault, at })),
    );
    it.each(cases)('everything converges without another event when $fault hits call $at', async ({ fault, at }) => {
      const faults = new CallFaults(at, fault);
      const world = await runScenario(scenario, faults);
      expect(faults.hit).toBeDefined();
      await scenario.check(world);
    });

    it('three more passes write nothing after that', async () => {
      const world = await runScenario(scenario, new CallFaults());
      world.server.requests.clear();
      const widgets = (await world.user.list(Widgets)).items;
      for (const widget of [...widgets, ...widgets, ...widgets]) {
        await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
      }
      expect(world.server.requests.writes()).toEqual([]);
    });
  });
}
