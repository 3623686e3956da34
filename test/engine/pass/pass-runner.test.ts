import { beforeEach, describe, expect, it, vi } from 'vitest';
import { mergeConditions, readConditions } from '../../../lib/core/conditions.ts';
import { TerminalError } from '../../../lib/core/errors.ts';
import type { DesiredObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { checkAt, retry, settled, terminal } from '../../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import { ConfigMaps, kindId, Secrets } from '../../../lib/core/resource-type.ts';
import { ClusterGate, type GateVerdict } from '../../../lib/engine/breaker/cluster-gate.ts';
import { World } from '../../../lib/testing/world.ts';
import type { WorldOptions } from '../../../lib/testing/world-options.ts';
import {
  createWidget,
  interrupting,
  sawGeneration,
  WIDGET_DEFINITION,
  Widgets,
  widgetController,
} from '../../support/widget.ts';

async function worldWith(
  parts: Parameters<typeof widgetController>[0] = {},
  options: Partial<WorldOptions> = {},
): Promise<World> {
  const world = new World({ controllers: [widgetController(parts)], ...options });
  await world.install([WIDGET_DEFINITION]);
  return world;
}

function configMap(widget: KubeObject, suffix: string): DesiredObject {
  const { name, uid } = widget.metadata;
  const owner = { apiVersion: 'test.evenkeel.dev/v1', kind: 'Widget', name, uid, controller: true };
  const metadata = { namespace: 'default', name: `${name}-${suffix}`, ownerReferences: [owner] };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

/** What would have ended the process. */
async function unhandledDuring(task: () => Promise<void>): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  await task().finally(() => process.off('unhandledRejection', note));
  return unhandled;
}

const stateOf = (world: World, uid: string) => world.memory.readTarget({ cluster: 'test', kind: kindId(Widgets), uid });

describe('PassRunner: a pass over current state', () => {
  let world: World;
  beforeEach(async () => {
    world = await worldWith();
  });

  it('R-1.1 a pass reconciles the present state, for any event', async () => {
    const old = await createWidget(world);
    await world.edit(Widgets, old, { spec: { size: 2 } });
    const report = await world.worker().handle(world.event(Widgets, old));
    expect(report).toMatchObject({ end: 'committed', outcome: 'settled', writes: 1 });
    expect((await world.read(Widgets, old)).status).toEqual({ seen: 2 });
  });

  it('R-1.3 three passes without a change send no write and leave the same resourceVersion', async () => {
    const widget = await createWidget(world);
    const runner = world.worker();
    await runner.handle(world.event(Widgets, widget));
    const before = await world.read(Widgets, widget);
    world.server.requests.clear();
    for (let pass = 0; pass < 3; pass += 1) await runner.handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(world.server.requests.writes({ userAgent: 'evenkeel' })).toEqual([]);
    expect(await world.read(Widgets, widget)).toEqual(before);
  });

  it('R-5.11 the event of our own status write is covered: one refused write to the table and no Kubernetes request', async () => {
    const requests: string[] = [];
    world = await worldWith(
      {},
      { onRequest: (_, operation, detail) => requests.push(`${operation}${detail.refused ? ' refused' : ''}`) },
    );
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    const written = await world.read(Widgets, widget);
    world.server.requests.clear();
    requests.length = 0;
    const report = await world.worker().handle(world.event(Widgets, written));
    expect(report.end).toBe('covered');
    expect(requests).toEqual(['UpdateItem refused']);
    expect(world.server.requests.total).toBe(0);
  });

  it('R-5.11 a pass that reads the same as the last one costs two writes to the table', async () => {
    const requests: string[] = [];
    world = await worldWith(
      {
        reconcile: async (widget, context) => {
          await context.get(Secrets, { namespace: 'default', name: 'password' });
          return sawGeneration(widget);
        },
      },
      { onRequest: (_, operation) => requests.push(operation) },
    );
    const widget = await createWidget(world);
    const runner = world.worker();
    await runner.handle(world.event(Widgets, widget));
    requests.length = 0;
    await runner.handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(requests).toEqual(['UpdateItem', 'UpdateItem']);
  });

  it('R-1.11 an object that was created again under the same name is another resource: its old state is removed', async () => {
    const old = await createWidget(world);
    const runner = world.worker();
    await runner.handle(world.event(Widgets, old));
    await world.remove(Widgets, old);
    const fresh = await createWidget(world);
    expect(await runner.handle(world.event(Widgets, old, { cause: 'deleted' }))).toMatchObject({ end: 'forgotten' });
    expect(await runner.handle(world.event(Widgets, fresh))).toMatchObject({ end: 'committed' });
    expect(await stateOf(world, old.metadata.uid)).toBeUndefined();
    expect(await stateOf(world, fresh.metadata.uid)).toMatchObject({ failures: 0, observedGeneration: 1 });
    expect(world.memory.contents().targets).toHaveLength(1);
  });

  it('R-1.9 an older update that arrives after the deletion finds the object gone and leaves nothing behind', async () => {
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    await world.remove(Widgets, widget);
    await world.worker().handle(world.event(Widgets, widget, { cause: 'deleted' }));
    expect(await world.worker().handle(world.event(Widgets, widget, { cause: 'updated' }))).toMatchObject({
      end: 'forgotten',
    });
    expect(world.memory.contents()).toEqual({ targets: [], edges: [], polls: [] });
  });

  it('R-1.16 a deletion event of a live object is judged by a read, not by the event', async () => {
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    expect(await world.worker().handle(world.event(Widgets, widget, { cause: 'deleted' }))).toMatchObject({
      end: 'committed',
    });
    expect(await stateOf(world, widget.metadata.uid)).toBeDefined();
  });

  it('a missing kind is a failure, never an absence of the object', async () => {
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    const definition = {
      group: 'apiextensions.k8s.io',
      version: 'v1',
      plural: 'customresourcedefinitions',
      kind: 'CustomResourceDefinition',
      namespaced: false,
    };
    const crd = await world.user.get(definition, { namespace: '', name: 'widgets.test.evenkeel.dev' });
    await world.user.delete(
      definition,
      { namespace: '', name: 'widgets.test.evenkeel.dev' },
      { preconditions: { uid: crd.metadata.uid } },
    );
    await world.clock.advance(0);
    const report = await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(report).toMatchObject({ end: 'committed', outcome: 'retry', reason: 'ApiKindMissing' });
    expect(await stateOf(world, widget.metadata.uid)).toBeDefined();
  });
});

describe('PassRunner: one pass at a time', () => {
  it('R-1.5 R-1.8 an event during a pass leaves a pending mark, and the pass runs again on current state', async () => {
    const held: string[] = [];
    let edits = 0;
    const world: World = await worldWith({
      reconcile: interrupting(async (widget) => {
        if (edits > 0) return;
        edits += 1;
        const edited = await world.edit(Widgets, widget, { spec: { size: 2 } });
        const report = await world.worker('worker-2').handle(world.event(Widgets, edited));
        held.push(report.end);
      }),
    });
    const widget = await createWidget(world);
    const report = await world.worker('worker-1').handle(world.event(Widgets, widget));
    expect(held).toEqual(['held']);
    expect(report).toMatchObject({ end: 'committed', attempts: 2 });
    expect((await world.read(Widgets, widget)).status).toEqual({ seen: 2 });
    expect(await stateOf(world, widget.metadata.uid)).toMatchObject({ dirty: [] });
  });

  it('R-1.8 a pending mark of a version that the pass itself has read does not make it run again', async () => {
    const world: World = await worldWith({
      reconcile: interrupting(async (widget) => {
        await world.worker('worker-2').handle(world.event(Widgets, widget));
      }),
    });
    const widget = await createWidget(world);
    const report = await world.worker('worker-1').handle(world.event(Widgets, widget));
    expect(report).toMatchObject({ end: 'committed', attempts: 1 });
  });

  it('R-1.8 a pending mark of another incarnation never counts as seen', async () => {
    let runs = 0;
    const world: World = await worldWith({
      reconcile: interrupting(async (widget) => {
        runs += 1;
        if (runs === 1) await world.worker('worker-2').handle(world.event(Widgets, widget, { incarnation: 2 }));
      }),
    });
    const widget = await createWidget(world);
    expect(await world.worker('worker-1').handle(world.event(Widgets, widget))).toMatchObject({ attempts: 2 });
  });

  it('R-1.12 a pass that read generation 1 cannot publish for generation 2, and a later pass does', async () => {
    let edited = false;
    const world: World = await worldWith({
      reconcile: interrupting(async (widget) => {
        if (edited) return;
        edited = true;
        await world.edit(Widgets, widget, { spec: { size: 2 } });
      }),
    });
    const widget = await createWidget(world);
    const report = await world.worker().handle(world.event(Widgets, widget));
    expect(report).toMatchObject({ end: 'committed', outcome: 'retry', reason: 'ApiConflict' });
    expect((await world.read(Widgets, widget)).status).toBeUndefined();
    await world.worker().handle(world.event(Widgets, await world.read(Widgets, widget)));
    expect((await world.read(Widgets, widget)).status).toEqual({ seen: 2 });
    expect(world.metrics.total('Conflict')).toBe(1);
  });

  it('I1 a pass whose lease was taken over commits nothing and changes nothing further', async () => {
    let paused = false;
    const world: World = await worldWith({
      reconcile: interrupting(async (widget) => {
        if (paused) return;
        paused = true;
        world.clock.jump(31_000);
        await world.worker('worker-2').handle(world.event(Widgets, widget, { cause: 'requested' }));
      }),
    });
    const widget = await createWidget(world);
    const report = await world.worker('worker-1').handle(world.event(Widgets, widget));
    expect(report).toMatchObject({ end: 'lost', writes: 0 });
    expect(await stateOf(world, widget.metadata.uid)).toMatchObject({ lastOutcome: { type: 'settled' } });
    expect(world.metrics.total('LeaseTakeover')).toBe(1);
    expect(world.metrics.total('LeaseLost')).toBe(1);
  });

  it('R-1.5 I12 a mutation is refused when too little of the lease is left, and the pass is retried', async () => {
    const world: World = await worldWith({
      reconcile: interrupting(async () => {
        world.clock.jump(26_000);
      }),
    });
    const widget = await createWidget(world);
    const report = await world.worker().handle(world.event(Widgets, widget));
    expect(report).toMatchObject({ end: 'committed', outcome: 'retry', reason: 'LeaseLost', writes: 0 });
    expect(report.dueAtMs).toBeGreaterThan(world.clock.now());
    expect((await world.read(Widgets, widget)).status).toBeUndefined();
  });
});

describe('PassRunner: outcomes and deadlines', () => {
  it('R-1.7 R-1.25 the backoff grows to its limit with failures, is stored in the table, and is reset by success', async () => {
    let failing = true;
    const world = await worldWith({
      reconcile: async (widget) => (failing ? { outcome: retry(new Error('secret text')) } : sawGeneration(widget)),
    });
    const widget = await createWidget(world);
    for (const [failures, boundMs] of [
      [1, 1_000],
      [2, 2_000],
      [3, 4_000],
      [4, 8_000],
    ] as const) {
      const report = await world
        .worker(`worker-${failures}`)
        .handle(world.event(Widgets, widget, { cause: 'requested' }));
      expect(report).toMatchObject({ outcome: 'retry', failures });
      const delayMs = (report.dueAtMs ?? 0) - world.clock.now();
      expect(delayMs).toBeGreaterThanOrEqual(boundMs / 10);
      expect(delayMs).toBeLessThanOrEqual(boundMs);
    }
    failing = false;
    const report = await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    expect(report).toMatchObject({ outcome: 'settled', failures: 0, dueAtMs: undefined });
  });

  it('R-1.24 the text of an unknown error is neither in the table nor in the logs', async () => {
    const world = await worldWith({
      reconcile: async () => {
        throw new Error('hunter2');
      },
    });
    const widget = await createWidget(world);
    const report = await world.worker().handle(world.event(Widgets, widget));
    const state = await stateOf(world, widget.metadata.uid);
    expect(report).toMatchObject({ outcome: 'retry', reason: 'Error' });
    expect(
      JSON.stringify([report, state, world.logger.lines.map(({ message, fields }) => [message, fields])]),
    ).not.toContain('hunter2');
  });

  it('R-1.7 a retry runs at its time without another event', async () => {
    let calls = 0;
    const world = await worldWith({
      reconcile: async (widget) => {
        calls += 1;
        return calls < 3 ? { outcome: retry(new Error('not yet')) } : sawGeneration(widget);
      },
    });
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    await world.run(20_000);
    expect(calls).toBe(3);
    expect((await world.read(Widgets, widget)).status).toEqual({ seen: 1 });
  });

  it('R-1.25 R-1.26 a check time starts a pass soon after it and never earlier, and a passed boundary one after the minimum', async () => {
    const passes: number[] = [];
    const world: World = await worldWith({
      reconcile: async (_, context) => {
        passes.push(context.nowMs);
        const wanted = [90_000, -5_000][passes.length - 1];
        return { outcome: wanted === undefined ? settled() : checkAt(context.nowMs + wanted) };
      },
    });
    const widget = await createWidget(world);
    const startMs = world.clock.now();
    await world.worker().handle(world.event(Widgets, widget));
    await world.run(200_000);
    expect(passes).toHaveLength(3);
    expect(passes[1]).toBeGreaterThanOrEqual(startMs + 90_000);
    expect(passes[1]).toBeLessThanOrEqual(startMs + 95_000);
    expect(passes[2]).toBeGreaterThanOrEqual((passes[1] ?? 0) + 1_000);
    expect(passes[2]).toBeLessThanOrEqual((passes[1] ?? 0) + 6_000);
  });

  it.each<[string, number]>([
    ['has just passed', -1],
    ['passed half a day ago', -43_200_000],
    ['passes in a minute', 60_000],
  ])('R-2.15 R-1.25 a controller that returns a time which %s gets passes less and less often', async (_, offsetMs) => {
    const passes: number[] = [];
    const world: World = await worldWith({
      reconcile: async (_object, context) => {
        passes.push(context.nowMs);
        return { outcome: checkAt(atMs) };
      },
    });
    const atMs = world.clock.now() + offsetMs;
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    await world.run(3_600_000, undefined, 5_000);
    // Each second would be 3,600 of them.
    expect(passes.length).toBeLessThan(30);
    const first = passes.findIndex((time) => time >= atMs);
    expect((passes[first + 1] ?? 0) - (passes[first] ?? 0)).toBeLessThanOrEqual(6_000);
    expect((passes.at(-1) ?? 0) - (passes.at(-2) ?? 0)).toBeGreaterThanOrEqual(300_000);
  });

  it('R-1.26 a kept timer gets another wake when its pass comes too early by the clock of its worker', async () => {
    const passes: number[] = [];
    const world: World = await worldWith({
      reconcile: async (_, context) => {
        passes.push(context.nowMs);
        return { outcome: context.nowMs < dueAtMs ? checkAt(dueAtMs) : settled() };
      },
    });
    const dueAtMs = world.clock.now() + 90_000;
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    await world.clock.advance(91_000);
    world.clock.jump(-3_000);
    const { epoch } = (await stateOf(world, widget.metadata.uid)) ?? {};
    const due = { cause: 'due', dueAt: dueAtMs, ...(epoch === undefined ? {} : { epoch }) } as const;
    await world.worker().handle(world.event(Widgets, widget, due));
    expect(world.wakes.messages()).toHaveLength(2);
    expect(await stateOf(world, widget.metadata.uid)).toMatchObject({ dueAtMs, wakeSent: true });
  });

  it('R-1.26 a kept resync timer that the sweep pushed out counts as one without a wake', async () => {
    const world = await worldWith({}, { pass: { targetResyncMs: 180_000 } });
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    const { dueAtMs = 0, epoch = 0 } = (await stateOf(world, widget.metadata.uid)) ?? {};
    await world.clock.advance(dueAtMs - world.clock.now() + 1_000);
    const pushedMs = world.clock.now() + 120_000;
    const target = { cluster: 'test', kind: kindId(Widgets), uid: widget.metadata.uid };
    await world.store.pushDue(target, { dueAtMs, epoch }, pushedMs, world.clock.now());
    await world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    await world.worker().handle(world.event(Widgets, widget, { cause: 'due', dueAt: dueAtMs, epoch }));
    expect(await stateOf(world, widget.metadata.uid)).toMatchObject({ dueAtMs: pushedMs, wakeSent: false });
  });

  it('R-1.25 the sweep finds a timer in time when it is too far ahead for a delayed message', async () => {
    const passes: number[] = [];
    const world = await worldWith({
      reconcile: async (_, context) => {
        passes.push(context.nowMs);
        return { outcome: passes.length === 1 ? checkAt(context.nowMs + 40 * 60_000) : settled() };
      },
    });
    const widget = await createWidget(world);
    const startMs = world.clock.now();
    await world.worker().handle(world.event(Widgets, widget));
    await world.run(41 * 60_000);
    expect(passes).toHaveLength(2);
    expect((passes[1] ?? 0) - startMs).toBeGreaterThanOrEqual(40 * 60_000);
    expect((passes[1] ?? 0) - startMs).toBeLessThanOrEqual(40 * 60_000 + 5_000);
  });

  it('a terminal outcome, or a TerminalError, waits for events', async () => {
    const world = await worldWith({
      reconcile: async (widget) => {
        if (widget.metadata.name === 'thrown') throw new TerminalError('BadSpec', 'spec.size: must be positive');
        return { outcome: terminal('BadSpec', 'spec.size: must be positive') };
      },
    });
    for (const name of ['thrown', 'returned']) {
      const widget = await createWidget(world, name);
      const report = await world.worker().handle(world.event(Widgets, widget));
      expect(report).toMatchObject({ outcome: 'terminal', reason: 'BadSpec', dueAtMs: undefined, failures: 0 });
    }
  });

  it('R-5.14 a pass honours the Retry-After of the API server', async () => {
    const world = await worldWith();
    const widget = await createWidget(world);
    world.server.inject({
      match: ({ verb, subresource }) => verb === 'patch' && subresource === 'status',
      fault: { status: 429, reason: 'TooManyRequests', retryAfterSeconds: 120 },
      times: 1,
    });
    const report = await world.worker().handle(world.event(Widgets, widget));
    expect(report).toMatchObject({ outcome: 'retry', reason: 'ApiTooManyRequests' });
    expect(report.dueAtMs).toBeGreaterThanOrEqual(world.clock.now() + 120_000);
  });

  it('I8 a Retry-After beyond the longest backoff is cut', async () => {
    const world = await worldWith();
    const widget = await createWidget(world);
    world.server.inject({
      match: ({ verb, subresource }) => verb === 'patch' && subresource === 'status',
      fault: { status: 429, reason: 'TooManyRequests', retryAfterSeconds: 86_400 },
      times: 1,
    });
    const report = await world.worker().handle(world.event(Widgets, widget));
    expect(report.dueAtMs).toBe(world.clock.now() + 300_000);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    'R-6.4 a check time of %s fails the pass with a reason',
    async (atMs) => {
      const world = await worldWith({ reconcile: async () => ({ outcome: checkAt(atMs) }) });
      const widget = await createWidget(world);
      const report = await world.worker().handle(world.event(Widgets, widget));
      expect(report).toMatchObject({ end: 'committed', outcome: 'retry', reason: 'InvalidCheckTime' });
    },
  );

  it('each target has its own resync timer with jitter, and passes in between keep it', async () => {
    const world = await worldWith({}, { pass: { targetResyncMs: 3_600_000 } });
    const first = await createWidget(world, 'a');
    const second = await createWidget(world, 'b');
    const runner = world.worker();
    const reports = [
      await runner.handle(world.event(Widgets, first)),
      await runner.handle(world.event(Widgets, second)),
    ];
    const delays = reports.map(({ dueAtMs }) => (dueAtMs ?? 0) - world.clock.now());
    for (const delay of delays) {
      expect(delay).toBeGreaterThanOrEqual(0.75 * 3_600_000);
      expect(delay).toBeLessThanOrEqual(1.25 * 3_600_000);
    }
    expect(delays[0]).not.toBe(delays[1]);
    const again = await runner.handle(world.event(Widgets, first, { cause: 'requested' }));
    expect(again.dueAtMs).toBe(reports[0]?.dueAtMs);
  });
});

describe('PassRunner: crashes and limits', () => {
  /** A worker that dies in the middle of its pass: its lease stays. */
  async function crash(world: World, event: Parameters<ReturnType<World['worker']>['handle']>[0]): Promise<void> {
    await world.store.acquire({
      target: event,
      owner: 'dead',
      attempt: world.entropy.id(),
      nowMs: world.clock.now(),
      leaseUntilMs: world.clock.now() + 30_000,
      latestUntilMs: world.clock.now() + 30_000 + 4_000,
    });
  }

  it('R-5.5 the message of a dead worker finds the lease expired, and its pass counts as a failure', async () => {
    const world = await worldWith({ reconcile: async () => ({ outcome: retry(new Error('still failing')) }) });
    const widget = await createWidget(world);
    await crash(world, world.event(Widgets, widget));
    await world.clock.advance(60_000);
    const report = await world.worker().handle(world.event(Widgets, widget));
    expect(report).toMatchObject({ outcome: 'retry', failures: 2 });
    expect(world.metrics.total('CrashedPass')).toBe(1);
  });

  it('R-5.5 a pass that kills its process repeatedly is reported, retried at the longest interval, and runs in the end', async () => {
    const world = await worldWith();
    const widget = await createWidget(world);
    for (let time = 0; time < 4; time += 1) {
      await crash(world, world.event(Widgets, widget));
      await world.clock.advance(31_000);
    }
    const report = await world.worker().handle(world.event(Widgets, widget));
    expect(report).toMatchObject({
      end: 'deferred',
      outcome: 'crashing',
      dueAtMs: world.clock.now() + 300_000,
      attempts: 0,
    });
    expect(world.metrics.total('NeedsPerson')).toBe(1);
    await world.run(310_000);
    expect((await world.read(Widgets, widget)).status).toEqual({ seen: 1 });
  });

  it('R-5.5 an event that finds the lease of a dead worker is not lost: its mark sets a timer', async () => {
    const world = await worldWith();
    const widget = await createWidget(world);
    await crash(world, world.event(Widgets, widget));
    expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({ end: 'held' });
    await world.run(120_000);
    expect((await world.read(Widgets, widget)).status).toEqual({ seen: 1 });
  });

  it('R-5.5 many events during one pass leave a bounded item, and none of them is lost', async () => {
    const world = await worldWith();
    const widget = await createWidget(world);
    await crash(world, world.event(Widgets, widget));
    for (let version = 1; version <= 200; version += 1) {
      const changed = { kind: kindId(Secrets), namespace: 'default', name: 's', resourceVersion: String(version) };
      const report = await world.worker().handle(world.event(Widgets, widget, { cause: 'dependency', changed }));
      expect(report.end).toBe('held');
    }
    const state = await stateOf(world, widget.metadata.uid);
    expect(state?.dirty.length).toBeLessThanOrEqual(65);
    expect(state?.dirty).toContain('any');
    await world.run(120_000);
    expect((await world.read(Widgets, widget)).status).toEqual({ seen: 1 });
  });

  it('R-1.6 a controller that ignores its signal is stopped at the limit, its later calls are refused, and it is retried', async () => {
    let release: () => void = () => undefined;
    let late: unknown[] = [];
    const name = { namespace: 'default', name: 'late' };
    const world: World = await worldWith({
      reconcile: async (_, context) => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        const calls = [
          context.create(Secrets, { apiVersion: 'v1', kind: 'Secret', metadata: name }),
          context.get(Secrets, name),
          context.list(Secrets, { namespace: 'default' }),
          context.saveValues({ late: true }),
        ];
        late = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
        return { outcome: settled() };
      },
    });
    const widget = await createWidget(world);
    const pending = world.worker().handle(world.event(Widgets, widget));
    await world.clock.advance(20_000);
    expect(await pending).toMatchObject({ end: 'committed', outcome: 'retry', reason: 'PassLimit' });
    const before = [await stateOf(world, widget.metadata.uid), world.memory.contents().edges];
    release();
    await world.clock.advance(0);
    expect(late).toMatchObject(Array.from({ length: 4 }, () => ({ code: 'PASS_LIMIT' })));
    expect(world.server.requests.find({ resource: 'secrets' })).toEqual([]);
    expect([await stateOf(world, widget.metadata.uid), world.memory.contents().edges]).toEqual(before);
  });

  it.each<[string, (context: ReconcileContext, widget: KubeObject, copy: KubeObject) => Promise<unknown>]>([
    ['create', (context, widget) => context.create(ConfigMaps, configMap(widget, 'other'))],
    [
      'apply',
      (context, widget, copy) => context.apply(ConfigMaps, copy, { ...configMap(widget, 'copy'), data: { a: 'b' } }),
    ],
    ['mergePatch', (context, _, copy) => context.mergePatch(ConfigMaps, copy, { data: { a: 'b' } })],
    ['delete', (context, _, copy) => context.delete(ConfigMaps, copy)],
    ['publishStatus', (context) => context.publishStatus({ late: true })],
    ['saveValues', (context) => context.saveValues({ late: true })],
    ['recordEvent', (context) => context.recordEvent({ type: 'Normal', reason: 'Late', note: 'late', action: 'Any' })],
  ])('I1 a %s after the end of its pass is refused, and ends no process when nobody awaits it', async (_, call) => {
    let ended: ReconcileContext | undefined;
    let copy: KubeObject | undefined;
    const world = await worldWith({
      reconcile: async (widget, context) => {
        ended = context;
        copy = await context.create(ConfigMaps, configMap(widget, 'copy'));
        return sawGeneration(widget);
      },
    });
    const widget = await createWidget(world);
    await world.worker().handle(world.event(Widgets, widget));
    if (ended === undefined || copy === undefined) throw new Error('the pass did not run');
    const before = await stateOf(world, widget.metadata.uid);
    world.server.requests.clear();
    const unhandled = await unhandledDuring(async () => {
      void call(ended as ReconcileContext, widget, copy as KubeObject);
      await world.clock.advance(0);
    });
    expect(unhandled).toEqual([]);
    await expect(call(ended, widget, copy)).rejects.toMatchObject({ code: 'PASS_ENDED' });
    expect(world.server.requests.writes()).toEqual([]);
    expect(await stateOf(world, widget.metadata.uid)).toEqual(before);
  });

  it('I1 a create that was not awaited is not sent when the pass ends before its edge is written', async () => {
    const edges: (() => void)[] = [];
    const world = await worldWith(
      {
        reconcile: async (widget, context) => {
          void context.create(ConfigMaps, configMap(widget, 'copy'));
          return sawGeneration(widget);
        },
      },
      {
        wrapStore: (store) =>
          new Proxy(store, {
            get: (inner, property) => {
              const value: unknown = Reflect.get(inner, property);
              if (typeof value !== 'function') return value;
              return async (...args: unknown[]) => {
                if (property === 'putEdge') await new Promise<void>((resolve) => edges.push(resolve));
                return await value.apply(inner, args);
              };
            },
          }),
      },
    );
    const widget = await createWidget(world);
    const unhandled = await unhandledDuring(async () => {
      const report = await world.worker().handle(world.event(Widgets, widget));
      expect(report).toMatchObject({ end: 'committed', outcome: 'settled' });
      expect(edges).toHaveLength(1);
      edges[0]?.();
      await world.clock.advance(0);
    });
    expect(unhandled).toEqual([]);
    expect(world.server.requests.find({ resource: 'configmaps' })).toEqual([]);
  });

  it('I8 a target over its rate limit is put off, keeps what it observed, and runs when a token is there', async () => {
    const world = await worldWith({}, { pass: { rateLimit: { burst: 2, refillMs: 10_000 } } });
    const widget = await createWidget(world);
    const runner = world.worker();
    for (let pass = 0; pass < 2; pass += 1) await runner.handle(world.event(Widgets, widget, { cause: 'requested' }));
    const edited = await world.edit(Widgets, widget, { spec: { size: 2 } });
    const report = await runner.handle(world.event(Widgets, edited));
    expect(report).toMatchObject({ end: 'deferred', outcome: 'rateLimited' });
    expect(report.dueAtMs).toBe(world.clock.now() + 10_000);
    await world.run(15_000);
    expect((await world.read(Widgets, widget)).status).toEqual({ seen: 2 });
  });
});

describe('PassRunner: pause and scope', () => {
  it.each<[Extract<GateVerdict, { open: false }>['reason'], string, string]>([
    ['ClusterPaused', '', 'the cluster is paused'],
    ['ClusterThrottled', '', 'the cluster throttles requests'],
    ['ClusterUnreachable', '', 'the cluster does not answer'],
    ['AnotherDeployment', '', 'another deployment drives the cluster'],
    ['AnotherDeployment', 'it is taking over', 'it is taking over'],
  ])('R-6.4 a pass that is put off for %s %s reports exactly this reason', async (reason, detail, message) => {
    const world = await worldWith();
    const widget = await createWidget(world);
    const untilMs = world.clock.now() + 5_000;
    const verdict: GateVerdict = { open: false, reason, untilMs, ...(detail !== '' && { detail }) };
    vi.spyOn(ClusterGate.prototype, 'check').mockResolvedValueOnce(verdict);
    const report = await world.worker().handle(world.event(Widgets, widget));
    vi.restoreAllMocks();
    expect(report).toMatchObject({ end: 'deferred', reason: expect.stringMatching(new RegExp(reason, 'i')), message });
  });

  it.each([
    [['Ready', 'Available'], 'Ready True Fine'],
    [['Reachable', 'Available'], 'Available True Fine'],
    [['Reachable'], ''],
  ])('R-6.4 a pass with the conditions %j reports "%s"', async (types, condition) => {
    const reconcile = async () => {
      const conditions = types.map((type) => ({ type, status: 'True' as const, reason: 'Fine', message: 'm' }));
      return { outcome: settled(), status: { conditions: mergeConditions([], conditions, 1, 0) } };
    };
    const world = await worldWith({ reconcile });
    const widget = await createWidget(world);
    expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({ end: 'committed', condition });
  });

  it('R-6.7 a paused object gets no pass until the annotation is removed', async () => {
    const world = await worldWith();
    const widget = await createWidget(world);
    const paused = await world.edit(Widgets, widget, { metadata: { annotations: { 'evenkeel.dev/paused': 'true' } } });
    expect(await world.worker().handle(world.event(Widgets, paused))).toMatchObject({ outcome: 'paused', writes: 0 });
    const resumed = await world.edit(Widgets, widget, { metadata: { annotations: { 'evenkeel.dev/paused': null } } });
    expect(await world.worker().handle(world.event(Widgets, resumed))).toMatchObject({ outcome: 'settled', writes: 1 });
  });

  it('R-6.7 a paused cluster gets no pass, and its passes come back when it is resumed', async () => {
    const world = await worldWith();
    const widget = await createWidget(world);
    await world.store.setPaused('test', true);
    expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({
      end: 'deferred',
      outcome: 'clusterPaused',
    });
    await world.store.setPaused('test', false);
    await world.run(70_000);
    expect((await world.read(Widgets, widget)).status).toEqual({ seen: 1 });
  });

  it('R-6.7 an object outside the namespaces or the selector is not managed, and item and finalizer stay', async () => {
    const world = await worldWith(
      { finalizer: 'test.evenkeel.dev/widget', finalize: async () => ({ done: true }) },
      { pass: { scope: { labelSelector: 'team=a' } } },
    );
    const mine = await world.create(Widgets, {
      metadata: { namespace: 'default', name: 'mine', labels: { team: 'a' } },
      spec: {},
    });
    await world.worker().handle(world.event(Widgets, mine));
    const left = await world.edit(Widgets, mine, { metadata: { labels: { team: 'b' } } });
    const report = await world.worker().handle(world.event(Widgets, left, { cause: 'deleted', unselected: true }));
    expect(report).toMatchObject({ outcome: 'unmanaged', writes: 0 });
    expect((await world.read(Widgets, mine)).metadata.finalizers).toEqual(['test.evenkeel.dev/widget']);
    expect(await stateOf(world, mine.metadata.uid)).toBeDefined();
  });
});

describe('PassRunner: kinds of which only some objects are ours', () => {
  it('an object without the managed-by label is ignored', async () => {
    const world = await worldWith({ onlyManaged: true });
    const foreign = await createWidget(world);
    expect(await world.worker().handle(world.event(Widgets, foreign))).toMatchObject({
      outcome: 'unmanaged',
      writes: 0,
    });
    const ours = await world.edit(Widgets, foreign, {
      metadata: { labels: { 'app.kubernetes.io/managed-by': 'evenkeel' } },
    });
    expect(await world.worker().handle(world.event(Widgets, ours))).toMatchObject({ outcome: 'settled', writes: 1 });
  });

  it('R-5.13 a transition of Ready is counted once with its reason, and a change of only the reason is not', async () => {
    let ready = { status: 'False', reason: 'Waiting' };
    const world = new World({
      controllers: [
        widgetController({
          reconcile: async ({ metadata, status }, { nowMs }) => {
            const input = { type: 'Ready', status: ready.status as 'True', reason: ready.reason, message: '' };
            const conditions = mergeConditions(readConditions(status), [input], metadata.generation ?? 0, nowMs);
            return { outcome: settled(), status: { conditions } };
          },
        }),
      ],
    });
    await world.install([WIDGET_DEFINITION]);
    const widget = await createWidget(world);
    const pass = () => world.worker().handle(world.event(Widgets, widget, { cause: 'requested' }));
    await pass();
    await pass();
    ready = { status: 'False', reason: 'StillWaiting' };
    await pass();
    ready = { status: 'True', reason: 'Done' };
    await pass();
    const turned = world.metrics.recorded.filter(({ name }) => name === 'ConditionTransition');
    expect(turned.map(({ dimensions }) => dimensions.Reason)).toEqual(['Waiting', 'Done']);
  });
});
