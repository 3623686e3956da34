import { describe, expect, it } from 'vitest';
import type { Controller } from '../../lib/core/controller.ts';
import { checkAt, retry, settled } from '../../lib/core/outcome.ts';
import { kindId, Secrets } from '../../lib/core/resource-type.ts';
import { sendWake } from '../../lib/engine/send-wake.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { World } from '../../lib/testing/world.ts';
import {
  createWidget,
  interrupting,
  sawGeneration,
  WIDGET_DEFINITION,
  Widgets,
  widgetController,
} from '../support/widget.ts';

const MINUTE = 60_000;
const LEASE = 30_000;

/** How far the clock is set. */
const STEPS: [string, number][] = [
  ['back by ten minutes', -10 * MINUTE],
  ['back by half a minute', -30_000],
  ['forward by ten minutes', 10 * MINUTE],
];

async function worldOf(parts: Partial<Controller> = {}, requests: string[] = []): Promise<World> {
  const world = new World({
    controllers: [widgetController(parts)],
    onRequest: (service, operation) => requests.push(`${service} ${operation}`),
  });
  await world.install([WIDGET_DEFINITION]);
  return world;
}

/** A clock that goes as another one does, but shows another time. */
function ahead(clock: Clock, ms: number): Clock {
  return {
    now: () => clock.now() + ms,
    monotonic: () => clock.monotonic() + 5,
    sleep: (forMs, signal) => clock.sleep(forMs, signal),
  };
}

async function dropWakes(world: World): Promise<void> {
  const messages = await world.wakes.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 1 });
  await world.wakes.delete(messages.map(({ receiptHandle }) => receiptHandle));
}

const committed = (world: World) => world.reports.filter(({ end }) => end === 'committed');

describe("a dead worker's lease", () => {
  it.each(STEPS)(
    'R-1.29 a dead worker delays no pass by more than the lease and a minute when the clock is set %s',
    async (_how, stepMs) => {
      const world = await worldOf();
      const widget = await createWidget(world);
      const { uid } = widget.metadata;
      const nowMs = world.clock.now();
      const target = { cluster: 'test', kind: kindId(Widgets), uid, namespace: 'default', name: 'one' };
      const times = { nowMs, leaseUntilMs: nowMs + LEASE, latestUntilMs: nowMs + LEASE + 4_000 };
      await world.memory.acquire({ target, owner: 'dead', attempt: 'a', ...times });
      world.clock.step(stepMs);
      await world.sender.sendAll('events', [world.event(Widgets, widget)]);
      await world.run(LEASE + MINUTE);
      expect((await world.read(Widgets, widget)).status).toEqual({ seen: 1 });
    },
  );

  it.each(STEPS)(
    'R-1.29 a dead worker delays no event that was marked before the clock was set %s',
    async (_how, stepMs) => {
      const world = await worldOf();
      const widget = await createWidget(world);
      const { uid } = widget.metadata;
      const nowMs = world.clock.now();
      const target = { cluster: 'test', kind: kindId(Widgets), uid, namespace: 'default', name: 'one' };
      const times = { nowMs, leaseUntilMs: nowMs + LEASE, latestUntilMs: nowMs + LEASE + 4_000 };
      await world.memory.acquire({ target, owner: 'dead', attempt: 'a', ...times });
      expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({ end: 'held' });
      world.clock.step(stepMs);
      await world.run(LEASE + 90_000);
      expect((await world.read(Widgets, widget)).status).toEqual({ seen: 1 });
    },
  );
});

describe('a deadline', () => {
  it.each(STEPS)('R-1.29 the timer of a retry is due within seconds when the clock is set %s', async (_how, stepMs) => {
    let passes = 0;
    const world = await worldOf({
      reconcile: async () => {
        passes += 1;
        return { outcome: passes === 1 ? retry(new Error('not now')) : settled() };
      },
    });
    await world.worker().handle(world.event(Widgets, await createWidget(world)));
    expect(passes).toBe(1);
    world.clock.step(stepMs);
    await world.run(6_000);
    expect(passes).toBe(2);
  });

  it.each(STEPS)(
    'R-1.29 the sweep finds a timer whose wake was lost when the clock is set %s',
    async (_how, stepMs) => {
      let passes = 0;
      const world = await worldOf({
        reconcile: async (_, { nowMs }) => {
          passes += 1;
          return { outcome: passes === 1 ? checkAt(nowMs + 20_000) : settled() };
        },
      });
      await world.worker().handle(world.event(Widgets, await createWidget(world)));
      await world.clock.advance(MINUTE);
      await dropWakes(world);
      world.clock.step(stepMs);
      await world.run(LEASE + MINUTE);
      expect(passes).toBe(2);
    },
  );

  it('R-1.29 a timer of ten minutes is due after ten minutes, not twenty, when a clock ten minutes ahead set it', async () => {
    let atMs = 0;
    let passes = 0;
    const world = await worldOf({
      reconcile: async (_, { nowMs }) => {
        passes += 1;
        atMs = world.clock.monotonic();
        return { outcome: passes === 1 ? checkAt(nowMs + 10 * MINUTE) : settled() };
      },
    });
    world.clock.step(10 * MINUTE);
    await world.worker().handle(world.event(Widgets, await createWidget(world)));
    const beganMs = atMs;
    world.clock.step(-10 * MINUTE);
    await world.run(12 * MINUTE);
    expect(passes).toBe(2);
    expect(atMs - beganMs).toBeGreaterThanOrEqual(10 * MINUTE);
    expect(atMs - beganMs).toBeLessThanOrEqual(11.5 * MINUTE);
  });

  it.each([
    ['ahead', 10 * MINUTE],
    ['behind', -10 * MINUTE],
  ])('R-1.29 a timer of a worker whose clock is always %s is due in time', async (_how, aheadMs) => {
    const began: number[] = [];
    const world = await worldOf({
      reconcile: async (_, { nowMs }) => {
        began.push(world.clock.monotonic());
        return { outcome: checkAt(nowMs + 8_000) };
      },
    });
    const worker = world.worker('worker-1', { clock: ahead(world.clock, aheadMs) });
    await worker.handle(world.event(Widgets, await createWidget(world)));
    await world.run(2 * MINUTE, worker);
    const gaps = began.slice(1).map((atMs, index) => atMs - (began[index] ?? 0));
    expect(gaps.length).toBeGreaterThanOrEqual(5);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(LEASE);
  });

  it.each([
    ['its length', { dueAtMs: 700, dueSetAtMs: 0 }, -600_000, 1],
    ['its length when it is longer', { dueAtMs: 300_000, dueSetAtMs: 0 }, -600_000, 300],
    ['what is left of it', { dueAtMs: 300_000, dueSetAtMs: 0 }, 100_000, 200],
    ['nothing once it has come', { dueAtMs: 700, dueSetAtMs: 0 }, 600_000, 0],
    ['what is left by the clock, where its length is not known', { dueAtMs: 700 }, -600_000, 601],
  ])('R-1.29 a timer has a wake that is delayed by %s', async (_what, deadline, nowMs, seconds) => {
    const sent: number[] = [];
    const wakes = { sendDelayed: async ({ delaySeconds }: { delaySeconds: number }) => void sent.push(delaySeconds) };
    const target = { cluster: 'test', kind: 'widgets', uid: 'u', namespace: 'default', name: 'one' };
    await sendWake(wakes, { type: 'target', target, dueAtMs: deadline.dueAtMs }, deadline, nowMs);
    expect(sent).toEqual([seconds]);
  });

  it.each([
    ['a minute', MINUTE],
    ['five minutes', 5 * MINUTE],
    ['fourteen minutes', 14 * MINUTE],
  ])(
    'R-1.29 the timer of a poll that reads each %s is due in time when the clock is set back by ten minutes',
    async (_how, intervalMs) => {
      const world = await worldOf();
      const poll = { cluster: 'test', group: 'widgets', kind: kindId(Secrets), namespace: 'default', name: 's' };
      await world.memory.touchPoll(poll, world.clock.now(), intervalMs);
      world.clock.step(-10 * MINUTE);
      expect(await world.sweep.run()).toEqual({ sent: 0, woken: 1, failed: 0 });
      expect(await world.memory.readPoll(poll)).toMatchObject({
        dueAtMs: world.clock.now() + intervalMs,
        dueSetAtMs: world.clock.now(),
        counter: 1,
      });
      // Its wake, which counts by true time.
      expect(world.wakes.nextVisibleAtMs()).toBe(world.clock.monotonic() + intervalMs);
    },
  );
});

describe('an idle minute of the sweep', () => {
  it('R-5.11 R-1.29 an idle minute of the sweep costs one query for each shard, and a clock that was set back one read and one write for each timer', async () => {
    const requests: string[] = [];
    const world = await worldOf(
      { reconcile: async (_, { nowMs }) => ({ outcome: checkAt(nowMs + 10 * MINUTE) }) },
      requests,
    );
    for (const name of ['one', 'two', 'three']) {
      await world.worker().handle(world.event(Widgets, await createWidget(world, name)));
    }
    const run = async () => {
      requests.length = 0;
      await world.sweep.run();
      return requests.toSorted();
    };
    const queries = Array.from({ length: world.memory.shards }, () => 'dynamodb Query');
    // Whether they were set by a right clock is read once.
    expect(await run()).toEqual([...Array.from({ length: 3 }, () => 'dynamodb GetItem'), ...queries]);
    await world.clock.advance(MINUTE);
    expect(await run()).toEqual(queries);
    world.clock.step(-10 * MINUTE);
    expect((await run()).filter((request) => request !== 'dynamodb Query')).toEqual([
      ...Array.from({ length: 3 }, () => 'dynamodb GetItem'),
      ...Array.from({ length: 3 }, () => 'dynamodb UpdateItem'),
    ]);
    await run();
    expect(await run()).toEqual(queries);
  });
});

describe('a pass', () => {
  it.each([
    ['back', -580_000],
    ['back', -MINUTE],
    ['forward', 600_000],
  ])(
    'R-1.29 a pass reports how long it took when the clock is set %s by %i ms during the pass',
    async (_how, stepMs) => {
      const world = await worldOf({
        reconcile: interrupting(async () => {
          world.clock.jump(9);
          world.clock.step(stepMs);
        }),
      });
      const widget = await createWidget(world);
      expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({
        end: 'committed',
        durationMs: 9,
      });
      const [state] = world.memory.contents().targets;
      expect(state?.lastOutcome?.durationMs).toBe(9);
    },
  );

  it.each([
    ['forward by ten minutes', 600_000],
    ['back by ten minutes', -600_000],
    ['forward by 25 s', 25_000],
  ])(
    'R-1.29 a pass continues and may write when the clock is set %s during the pass, because its lease has not changed',
    async (_how, stepMs) => {
      const world = await worldOf({ reconcile: interrupting(async () => world.clock.step(stepMs)) });
      const widget = await createWidget(world);
      expect(await world.worker().handle(world.event(Widgets, widget))).toMatchObject({
        outcome: 'settled',
        writes: 1,
      });
    },
  );

  it.each([-600_000, -MINUTE, 600_000])(
    'R-1.29 a pass ends at its limit when the clock is set by %i ms during the pass',
    async (stepMs) => {
      const world = await worldOf({
        reconcile: interrupting(async () => {
          world.clock.step(stepMs);
          await new Promise(() => {});
        }),
      });
      const handling = world.worker().handle(world.event(Widgets, await createWidget(world)));
      let ended = false;
      handling.then(() => {
        ended = true;
      });
      await world.clock.advance(19_999);
      expect(ended).toBe(false);
      await world.clock.advance(1);
      expect(await handling).toMatchObject({ outcome: 'retry', reason: 'PassLimit' });
    },
  );
});

describe('a live lease', () => {
  /** What becomes of a pass in whose middle another worker, whose clock is off by so much, is told of a change. */
  async function interruptedBy(aheadMs: number) {
    const ends: string[] = [];
    const world = await worldOf({
      reconcile: interrupting(
        async (widget, { nowMs }) => {
          if (ends.length > 0 || nowMs !== world.clock.now()) return;
          const other = world.worker('worker-2', { clock: ahead(world.clock, aheadMs) });
          ends.push((await other.handle(world.event(Widgets, widget, { cause: 'requested' }))).end);
        },
        async (widget) => sawGeneration(widget),
      ),
    });
    const widget = await createWidget(world);
    ends.push((await world.worker().handle(world.event(Widgets, widget))).end);
    return { ends, world };
  }

  it.each([3_000, -3_000, 0, 3_999, -3_999])(
    'R-1.29 a live lease is not taken over by a worker whose clock differs by a tolerated %i ms',
    async (aheadMs) => {
      const { ends } = await interruptedBy(aheadMs);
      expect(ends).toEqual(['held', 'committed']);
    },
  );

  it.each([600_000, -600_000, 40_000])(
    'R-1.29 a live lease lets no stale commit through when a worker whose clock is off by %i ms takes it over',
    async (aheadMs) => {
      const { ends, world } = await interruptedBy(aheadMs);
      expect(ends).toEqual(['committed', 'lost']);
      expect(committed(world)).toHaveLength(1);
    },
  );
});
