import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubernetesClusterApi } from '../../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import type { TransportRequest } from '../../../lib/adapters/kubernetes/transport.ts';
import { MemoryDelayQueue } from '../../../lib/adapters/memory/memory-delay-queue.ts';
import { MemoryFifoQueue } from '../../../lib/adapters/memory/memory-fifo-queue.ts';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import { Leases, Namespaces } from '../../../lib/core/resource-type.ts';
import { dutyOf, shiftAt } from '../../../lib/deployment/cloud/relay-shift.ts';
import { type Comparisons, compareClusters } from '../../../lib/deployment/handlers/compare-clusters.ts';
import { RelaySilence } from '../../../lib/deployment/handlers/relay-silence.ts';
import { type HoldsSeen, RelayWork } from '../../../lib/deployment/handlers/relay-work.ts';
import { createInstallation, type Installation } from '../../../lib/deployment/installation/installation.ts';
import { defaultSettings } from '../../../lib/deployment/settings/load-settings.ts';
import type { Lane } from '../../../lib/engine/event-sender.ts';
import { createEventHandler } from '../../../lib/engine/runtime/event-handler.ts';
import { createTimers, type Timers } from '../../../lib/engine/runtime/timers.ts';
import { createWorker } from '../../../lib/engine/runtime/worker.ts';
import { MAX_RECEIVE_COUNT } from '../../../lib/ports/queue.ts';
import { RecordedMetrics, SilentLogger } from '../../../lib/testing/recorders.ts';
import { TEST_CLUSTER, World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

const SETTINGS = { ...defaultSettings(), cluster: TEST_CLUSTER };
const LEASE = { namespace: 'evenkeel-system', name: 'evenkeel-widgets' };
const MINUTE_MS = 60_000;

let world: World;
let stages: Stage[];

/** A stage in its own region. Its functions are called on their schedules, with its own table and queues. */
class Stage {
  readonly metrics = new RecordedMetrics();
  /** How often it changed a Widget. */
  writes = 0;
  /** How often it requested a Widget or Widgets from the API server. */
  requests = 0;
  isGone = false;
  readonly installation: Installation;
  readonly #clock = world.clock;
  readonly #store: MemoryStateStore;
  readonly #queues: Record<string, Record<Lane, MemoryFifoQueue>>;
  readonly #wakes: MemoryDelayQueue;
  readonly #timers: Timers;
  readonly #silence = new RelaySilence();
  readonly #holds: HoldsSeen = new Map();
  readonly #comparisons: Comparisons = new Map();
  readonly #running: { readonly abort: AbortController; readonly done: Promise<unknown> }[] = [];

  constructor(name: string, standby = true) {
    const { clock, entropy, registry } = world;
    const logger = new SilentLogger();
    const queueOptions = { clock, maxReceiveCount: MAX_RECEIVE_COUNT };
    const queue = () => new MemoryFifoQueue(queueOptions);
    this.#store = new MemoryStateStore({ clock });
    this.#queues = { widgets: { events: queue(), resync: queue() } };
    this.#wakes = new MemoryDelayQueue(queueOptions);
    const transport = {
      send: (request: TransportRequest) => {
        if (this.isGone) return Promise.reject(new Error('the region is gone'));
        if (request.path.includes('/widgets')) {
          this.requests += 1;
          if (request.method !== 'GET') this.writes += 1;
        }
        return world.server.send(request);
      },
    };
    const api = new KubernetesClusterApi({ transport, clock, userAgent: `evenkeel ${name}` });
    const ports = { store: this.#store, queues: this.#queues, wakes: this.#wakes, api, clock, entropy, logger };
    const settings = { ...SETTINGS, standby };
    this.installation = createInstallation(
      { ...ports, metrics: this.metrics },
      { settings, registry, owner: name, deployment: `arn:${name}` },
    );
    this.#timers = createTimers(this.installation, registry, { timings: settings.timings });
  }

  /** Calls what its schedules call in this minute. */
  async minute(index: number): Promise<void> {
    if (this.isGone) return;
    const nowMs = this.#clock.now();
    const { relay } = this.installation.settings;
    this.#call((signal) =>
      new RelayWork(this.#runtime(), dutyOf(shiftAt(nowMs), nowMs, relay.leaseMs), this.#holds).run(signal),
    );
    if (index % 5 === 0) {
      this.#call(() => compareClusters(this.#runtime(), this.#comparisons, this.#clock.monotonic() + 4 * MINUTE_MS));
    }
    await this.#timers.sweep.run();
    await this.#silence.measure(this.#runtime(), [{ name: TEST_CLUSTER }]);
  }

  /** Handles the messages in the queues. */
  async second(): Promise<void> {
    if (this.isGone) return;
    const wakes = await this.#wakes.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 });
    const failed = await this.#timers.handleWakes(wakes);
    await this.#wakes.delete(wakes.filter((one) => !failed.has(one.messageId)).map((one) => one.receiptHandle));
    const handler = createEventHandler(this.installation, 'widgets');
    const worker = createWorker(this.installation, world.registry, {
      timings: SETTINGS.timings,
      within: (event) => handler.handle(event),
      knows: (cluster) => cluster === TEST_CLUSTER,
    });
    for (const lane of ['events', 'resync'] as const) {
      const received = { maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 };
      const messages = await this.#queues.widgets?.[lane].receive(received);
      await worker.batchRunner('widgets', lane).run(messages ?? []);
    }
  }

  /** Its region fails: nothing of it runs or can be reached any more. */
  async lose(): Promise<void> {
    this.isGone = true;
    for (const { abort } of this.#running) abort.abort();
    await Promise.allSettled(this.#running.map(({ done }) => done));
  }

  #call(run: (signal: AbortSignal) => Promise<unknown>): void {
    const abort = new AbortController();
    this.#running.push({ abort, done: run(abort.signal).catch(() => undefined) });
  }

  #runtime() {
    const entry = { name: TEST_CLUSTER, opened: { installation: this.installation, close: async () => {} } };
    const clusters = { refresh: async () => {}, all: () => [entry], get: () => entry } as never;
    const { settings, registry, logger } = this.installation;
    const { entropy } = world;
    const store = this.#store;
    const common = { settings, registry, store, logger, metrics: this.metrics, clock: this.#clock };
    return { ...common, clusters, newId: () => entropy.id(), flush: () => {} };
  }
}

beforeEach(async () => {
  world = new World({ controllers: [widgetController()] });
  await world.install([WIDGET_DEFINITION]);
  await world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
  stages = [];
});

afterEach(async () => {
  for (const stage of stages) await stage.lose();
});

async function minutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    for (const stage of stages) await stage.minute(minute);
    for (let second = 0; second < 60; second += 1) {
      await world.clock.advance(1_000);
      for (const stage of stages) await stage.second();
    }
  }
}

async function driver(): Promise<unknown> {
  const { spec } = await world.user.get(Leases, LEASE);
  return (spec as { holderIdentity?: string }).holderIdentity;
}

const seen = async (widget: Awaited<ReturnType<typeof createWidget>>) =>
  ((await world.read(Widgets, widget)).status as { seen?: number } | undefined)?.seen;

describe('two stages that stand by for each other in one cluster', () => {
  it('R-5.23 R-1.10 the second does nothing while the first drives, takes over when its region is lost, and keeps the cluster when it returns', async () => {
    const east = new Stage('east');
    stages.push(east);
    const widget = await createWidget(world);
    await minutes(2);
    const west = new Stage('west');
    stages.push(west);
    await minutes(30);
    expect(await driver()).toBe('arn:east');
    expect(await seen(widget)).toBe(1);
    expect(west).toMatchObject({ writes: 0, requests: 0 });
    expect(west.metrics.total('DeploymentConflict')).toBe(0);
    expect(west.metrics.total('RelaySilence')).toBe(0);

    await east.lose();
    await world.edit(Widgets, widget, { spec: { size: 2 } });
    await minutes(10);
    expect(await driver()).toBe('arn:east');
    expect(west.writes).toBe(0);
    await minutes(12);
    expect(await driver()).toBe('arn:west');
    expect(await seen(widget)).toBe(2);

    // The same table and queues, and functions without memory.
    const [eastWrites, westWrites] = [east.writes, west.writes];
    east.isGone = false;
    await world.edit(Widgets, widget, { spec: { size: 3 } });
    await minutes(20);
    expect(await driver()).toBe('arn:west');
    expect(await seen(widget)).toBe(3);
    expect(east.writes).toBe(eastWrites);
    expect(west.writes).toBeGreaterThan(westWrites);
  });

  it('R-5.23 the second takes over within minutes when a person deletes the Lease of a stage that is gone', async () => {
    const east = new Stage('east');
    stages.push(east);
    const widget = await createWidget(world);
    await minutes(2);
    const west = new Stage('west');
    stages.push(west);
    await minutes(2);
    await east.lose();
    await world.edit(Widgets, widget, { spec: { size: 2 } });
    await world.remove(Leases, await world.user.get(Leases, LEASE));
    await minutes(3);
    expect(await driver()).toBe('arn:west');
    expect(await seen(widget)).toBe(2);
  });

  it('R-1.10 a stage that does not stand by relays in a cluster that another one drives, and its passes are put off', async () => {
    const east = new Stage('east');
    stages.push(east);
    await createWidget(world);
    await minutes(2);
    const other = new Stage('other', false);
    stages.push(other);
    await minutes(6);
    expect(other.requests).toBeGreaterThan(0);
    expect(other.writes).toBe(0);
    expect(other.metrics.total('DeploymentConflict')).toBeGreaterThan(0);
  });
});
