import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EvenkeelError } from '../../../lib/core/errors.ts';
import { Namespaces } from '../../../lib/core/resource-type.ts';
import { ClusterDirectory } from '../../../lib/deployment/cloud/cluster-directory.ts';
import { clusterNameOf } from '../../../lib/deployment/cloud/cluster-parameter.ts';
import { dutyOf, type RelayDuty, SHIFT_MS, STANDING_DUTY, shiftAt } from '../../../lib/deployment/cloud/relay-shift.ts';
import { type HoldsSeen, RelayWork } from '../../../lib/deployment/handlers/relay-work.ts';
import { createInstallation, type Installation } from '../../../lib/deployment/installation/installation.ts';
import { defaultSettings } from '../../../lib/deployment/settings/load-settings.ts';
import { TEST_CLUSTER, World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const SETTINGS = { ...defaultSettings(), cluster: TEST_CLUSTER };
const LEASE_MS = SETTINGS.relay.leaseMs;

let world: World;
let listed: Set<string>;
/** The paths that evenkeel requested from the API server. */
let paths: string[];
/** Owners of leases that can no longer release them. */
let stopped: Set<string>;
/** The relays that recorded what the cluster has, in order. */
let recordings: string[];
const running: { abort: AbortController; done: Promise<void> }[] = [];

beforeEach(async () => {
  stopped = new Set();
  paths = [];
  recordings = [];
  world = new World({
    controllers: [widgetController()],
    wrapTransport: (server) => ({
      send: (request) => {
        paths.push(request.path);
        return server.send(request);
      },
    }),
  });
  const release = world.memory.releaseRelay.bind(world.memory);
  world.memory.releaseRelay = async (cluster, owner) => {
    if (!stopped.has(owner)) await release(cluster, owner);
  };
  await world.install([WIDGET_DEFINITION]);
  await world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
  listed = new Set([TEST_CLUSTER]);
  // At the start of a shift.
  world.clock.jump(SHIFT_MS - (world.clock.now() % SHIFT_MS));
});

afterEach(async () => {
  for (const { abort } of running) abort.abort();
  await Promise.all(running.map(({ done }) => done));
  running.length = 0;
});

function directory(): ClusterDirectory<{ installation: Installation }> {
  const { clock, store, wakes, api, entropy, logger, metrics, registry } = world;
  const queues = { widgets: { events: world.queue('widgets'), resync: world.queue('widgets', 'resync') } };
  const ports = { store, queues, wakes, api, clock, entropy, logger, metrics };
  const open = (name: string) => {
    const settings = { ...SETTINGS, cluster: name };
    return { installation: createInstallation(ports, { settings, registry, owner: 'o', deployment: 'd' }) };
  };
  return new ClusterDirectory({
    parameters: { list: async () => [...listed].map((name) => ({ name: `/c/${name}`, value: name })) },
    path: '/c',
    open: (parameter) => {
      if (parameter.value === 'faulty') throw new EvenkeelError('BAD', 'bad');
      return open(clusterNameOf(parameter));
    },
    openFaulty: open,
    close: async () => {},
    clock,
    logger,
    metrics,
  });
}

/** One invocation, or one pod, with its own sandbox. */
function work(duty: RelayDuty, settings = SETTINGS, holdsSeen: HoldsSeen = new Map()) {
  const { clock, store, logger, metrics, entropy } = world;
  const abort = new AbortController();
  const one = { abort, ended: false, looks: 0, flushes: 0, done: Promise.resolve() };
  /** As UseRecorder: it never rejects. */
  const record = async (_cluster: string, _opened: unknown, owner: string) => {
    const isHeld = await world.memory.readCluster(TEST_CLUSTER).then(
      ({ relay }) => relay?.owner === owner,
      () => undefined,
    );
    if (isHeld === true) recordings.push(owner);
    return isHeld ?? true;
  };
  const runtime = {
    useRecorder: { record },
    clusters: directory() as never,
    store,
    settings,
    clock,
    logger,
    metrics,
    newId: () => entropy.id(),
    flush: () => {
      one.flushes += 1;
    },
  };
  one.done = new RelayWork(runtime, duty, holdsSeen)
    .run(abort.signal, () => {
      one.looks += 1;
    })
    .then(() => {
      one.ended = true;
    });
  running.push(one);
  return one;
}

/** @param sandbox what an earlier invocation in the same sandbox saw. */
function invocation(sandbox?: HoldsSeen) {
  const nowMs = world.clock.now();
  return work(dutyOf(shiftAt(nowMs), nowMs, LEASE_MS), SETTINGS, sandbox);
}

async function holder(): Promise<string | undefined> {
  const { relay } = await world.memory.readCluster(TEST_CLUSTER);
  return relay !== undefined && relay.untilMs >= world.clock.now() ? relay.owner : undefined;
}

/** Reads of the whole list. Other reads ask for one object, to get its version. */
const lists = () => paths.filter((path) => /widgets\?(?!.*\b(watch|limit=1\b))/.test(path)).length;

describe('RelayWork', () => {
  it('R-5.7 R-6.3 an invocation a minute relays for an hour: each edit arrives within seconds, no list is read twice, and seldom two run', async () => {
    const invocations: ReturnType<typeof invocation>[] = [];
    const widget = await createWidget(world);
    const holders = new Set<string>();
    let unheldMs = 0;
    let size = 1;
    for (let second = 0; second < 3_600; second += 1) {
      if (second % 60 === 30) invocations.push(invocation());
      if (second % 7 === 0 && second > 60) {
        size += 1;
        await world.edit(Widgets, widget, { spec: { size } });
      }
      await world.clock.advance(1_000);
      await world.drain();
      const held = await holder();
      if (second > 40) {
        if (held === undefined) unheldMs += 1_000;
        else holders.add(held);
      }
      // 6 s after an edit.
      if (second % 7 === 6 && second > 60) {
        const { metadata, status } = await world.read(Widgets, widget);
        expect(status).toEqual({ seen: metadata.generation });
      }
      if (second > 40) expect(invocations.filter(({ ended }) => !ended).length).toBeLessThanOrEqual(3);
    }
    expect(holders.size).toBeGreaterThanOrEqual(5);
    expect(unheldMs).toBeLessThanOrEqual(holders.size * 2_000);
    expect(lists()).toBe(1);
  }, 60_000);

  it('R-5.5 a holder that died is followed by an invocation within the lease and a minute, which resumes from its checkpoint', async () => {
    const widget = await createWidget(world);
    const died = invocation();
    await world.run(30_000);
    const dead = await holder();
    // A dead process neither renews nor releases its lease, and receives no event.
    stopped.add(dead ?? '');
    died.abort.abort();
    await world.edit(Widgets, widget, { spec: { size: 2 } });
    await world.run(20_000);
    const next = invocation();
    await world.run(20_000);
    expect((await world.memory.readCluster(TEST_CLUSTER)).relay?.owner).toBe(dead);
    await world.run(LEASE_MS - 10_000);
    expect(next.ended).toBe(false);
    expect([undefined, dead]).not.toContain(await holder());
    const { metadata, status } = await world.read(Widgets, widget);
    expect(status).toEqual({ seen: metadata.generation });
    expect(lists()).toBe(1);
  });

  it('R-5.7 an invocation that finds the lease renewed since the one before it ends at once, and costs no Kubernetes request', async () => {
    invocation();
    await world.run(5_000);
    const sandbox: HoldsSeen = new Map();
    const cold = invocation(sandbox);
    // A sandbox without any memory watches until the holder renews.
    await world.run(20_000);
    expect(cold.ended).toBe(true);
    await world.run(40_000);
    const asked = paths.length;
    const warm = invocation(sandbox);
    await world.clock.advance(0);
    expect(warm.ended).toBe(true);
    expect(paths).toHaveLength(asked);
  });

  it.each([
    ['set back by ten minutes', -600_000],
    ['set forward by ten minutes', 600_000],
    ['set back by a minute', -60_000],
  ])(
    'R-1.29 a holder that died is followed at once by a sandbox that saw its lease a minute ago, when the clock was %s',
    async (_how, stepMs) => {
      const died = invocation();
      await world.run(30_000);
      const dead = await holder();
      stopped.add(dead ?? '');
      died.abort.abort();
      const sandbox: HoldsSeen = new Map();
      const looked = invocation(sandbox);
      await world.run(1_000);
      looked.abort.abort();
      world.clock.step(stepMs);
      await world.run(59_000);
      invocation(sandbox);
      await world.run(2_000);
      expect([undefined, dead]).not.toContain(await holder());
    },
  );

  it.each([-600_000, 600_000])('R-1.29 a shift keeps its length when the clock is set by %i ms', async (stepMs) => {
    const shift = invocation();
    await world.run(60_000);
    world.clock.step(stepMs);
    await world.clock.advance(SHIFT_MS - 61_000);
    expect(shift.ended).toBe(false);
    await world.clock.advance(2_000);
    expect(shift.ended).toBe(true);
  });

  it('R-6.4 a pod starts with a cluster that is added to the list, and leaves one that is removed from it', async () => {
    listed.clear();
    const pod = work(STANDING_DUTY);
    await world.clock.advance(10_000);
    expect(pod.ended).toBe(false);
    listed.add(TEST_CLUSTER);
    await world.clock.advance(75_000);
    expect(await holder()).toBeDefined();
    listed.clear();
    await world.clock.advance(75_000);
    expect(await holder()).toBeUndefined();
    expect(pod.looks).toBeGreaterThan(5);
  });

  it('R-5.5 a pod that is told to end gives back its lease, so that a standby has it within a second', async () => {
    const first = work(STANDING_DUTY);
    await world.clock.advance(5_000);
    const owner = await holder();
    const second = work(STANDING_DUTY);
    await world.clock.advance(30_000);
    expect(await holder()).toBe(owner);
    first.abort.abort();
    await first.done;
    await world.clock.advance(1_000);
    expect([undefined, owner]).not.toContain(await holder());
    expect(second.ended).toBe(false);
    await world.clock.advance(120_000);
    expect(second.flushes).toBe(2);
  });

  it('R-6.7 R-5.14 a cluster that is paused, or cannot be used, is not relayed', async () => {
    listed.add('faulty');
    await world.store.setPaused(TEST_CLUSTER, true);
    const spare = invocation();
    const paused = work(STANDING_DUTY, { ...SETTINGS, paused: true });
    await world.clock.advance(20_000);
    expect(spare.ended).toBe(true);
    expect(paused.ended).toBe(false);
    expect(lists()).toBe(0);
  });

  it('R-5.4 while the table does not answer, it looks again later', async () => {
    const pod = work(STANDING_DUTY);
    await world.clock.advance(5_000);
    listed.add('second');
    const read = world.memory.readCluster.bind(world.memory);
    world.memory.readCluster = async () => {
      throw new Error('down');
    };
    await world.clock.advance(40_000);
    world.memory.readCluster = read;
    await world.clock.advance(80_000);
    expect(pod.ended).toBe(false);
    expect(await holder()).toBeDefined();
  });

  it('R-6.8 each shift records once what its cluster has, and only while it holds the cluster', async () => {
    const sandbox: HoldsSeen = new Map();
    for (let minute = 0; minute < 36; minute += 1) {
      invocation(sandbox);
      await world.clock.advance(60_000);
    }
    expect(recordings.length).toBeGreaterThanOrEqual(3);
    expect(new Set(recordings).size).toBe(recordings.length);
    // One that holds the cluster for longer records again.
    recordings = [];
    const pod = work(STANDING_DUTY);
    await world.clock.advance(SHIFT_MS + 60_000 + 46 * 60_000);
    expect(new Set(recordings.slice(-3)).size).toBe(1);
    expect(recordings.length).toBeLessThanOrEqual(5);
    expect(pod.ended).toBe(false);
  });
});
