import { KubernetesClusterApi } from '../adapters/kubernetes/kubernetes-cluster-api.ts';
import { MemoryDelayQueue } from '../adapters/memory/memory-delay-queue.ts';
import { MemoryFifoQueue } from '../adapters/memory/memory-fifo-queue.ts';
import { MemoryStateStore } from '../adapters/memory/memory-state-store.ts';
import { processStrayErrors } from '../adapters/system/process-stray-errors.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import { isRequest, type SkinnyEvent } from '../core/event.ts';
import type { DesiredObject, JsonValue, KubeObject } from '../core/kube-object.ts';
import { apiVersion, kindId, type ResourceType } from '../core/resource-type.ts';
import type { AuthorError } from '../engine/author/author-error.ts';
import { EventSender, type GroupQueues, type Lane } from '../engine/event-sender.ts';
import type { PassDependencies, PassOptions } from '../engine/pass/pass.ts';
import type { PassReport } from '../engine/pass/pass-report.ts';
import { DEFAULT_PASS_OPTIONS } from '../engine/pass/pass-runner.ts';
import { Registry } from '../engine/registry.ts';
import { createEngine, type Engine, type EnginePorts } from '../engine/runtime/engine.ts';
import { createEventHandler, type EventHandler } from '../engine/runtime/event-handler.ts';
import { createRelay, type RelayPartOptions } from '../engine/runtime/relay.ts';
import { createTimers, type Timers } from '../engine/runtime/timers.ts';
import { createWorker } from '../engine/runtime/worker.ts';
import type { ClusterApi } from '../ports/cluster-api.ts';
import { MAX_RECEIVE_COUNT } from '../ports/queue.ts';
import type { StateStore } from '../ports/state-store.ts';
import { changedObjectOf, type EventParts, eventOf, type ObjectChange } from './event-of.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordedMetrics, SilentLogger } from './recorders.ts';
import { SeededEntropy } from './seeded-entropy.ts';
import { settleWorld } from './settle-world.ts';
import { watchStrayErrors } from './stray-errors.ts';
import { installDefinitions, newTestServer } from './test-server.ts';
import type { WorldOptions } from './world-options.ts';

export const TEST_CLUSTER = 'test';

/** The part that runs the passes. */
type Passes = Pick<EventHandler['passes'], 'handle'>;

/**
 * The whole engine on in-memory parts, with a clock that a test moves. Authors of controllers test with it, and so do
 * the engine's own tests. Nothing runs by itself. `settle` runs the relay and all passes until nothing is due; `at`
 * advances the clock; `drain`, `run` and `worker` deliver messages one step at a time.
 */
export class World {
  readonly clock: ManualClock;
  readonly entropy: SeededEntropy;
  readonly server: ApiServer;
  /** The API client of the engine. */
  readonly api: ClusterApi;
  /** The API client of the test. Its requests have another user agent. */
  readonly user: ClusterApi;
  readonly memory: MemoryStateStore;
  readonly store: StateStore;
  readonly registry: Registry;
  readonly wakes: MemoryDelayQueue;
  readonly metrics = new RecordedMetrics();
  readonly logger = new SilentLogger();
  /** How each message ended. `thrown` is the last error that the controller threw in that pass or gave to `retry`. */
  readonly reports: (PassReport & { readonly thrown?: unknown })[] = [];
  /** Every error of the controllers' code, complete. The objects and the table show it without its text. */
  readonly errors: AuthorError[] = [];
  readonly sender: EventSender;
  readonly sweep: Timers['sweep'];
  readonly wakeHandler: Timers['wakes'];
  readonly options: PassOptions;
  readonly #timers: Timers;
  #relaying: Promise<void> | undefined;
  readonly #queues: Record<string, Record<Lane, MemoryFifoQueue>> = {};

  constructor(options: WorldOptions) {
    const clock = new ManualClock(options.startMs);
    this.clock = clock;
    watchStrayErrors();
    this.entropy = new SeededEntropy(options.seed ?? 1);
    this.server = newTestServer(clock, this.entropy, options.isPart);
    const transport = options.wrapTransport?.(this.server) ?? this.server;
    this.api = new KubernetesClusterApi({ transport, clock, userAgent: 'evenkeel' });
    this.user = new KubernetesClusterApi({ transport: this.server, clock, userAgent: 'test' });
    const observed = options.onRequest === undefined ? {} : { onRequest: options.onRequest };
    this.memory = new MemoryStateStore({ clock, ...observed });
    this.store = options.wrapStore?.(this.memory) ?? this.memory;
    this.registry = new Registry(options.controllers);
    const queueOptions = { clock, maxReceiveCount: MAX_RECEIVE_COUNT, ...observed };
    this.wakes = new MemoryDelayQueue(queueOptions);
    for (const group of this.registry.groups()) {
      this.#queues[group] = { events: new MemoryFifoQueue(queueOptions), resync: new MemoryFifoQueue(queueOptions) };
    }
    this.sender = new EventSender(this.registry, this.#queues as Record<string, GroupQueues>, this.entropy);
    this.options = { ...DEFAULT_PASS_OPTIONS, targetResyncMs: undefined, ...options.pass };
    const { store, sender, registry, wakes, logger, metrics } = this;
    const { timings } = this.options;
    this.#timers = createTimers({ store, sender, wakes, clock, logger, metrics }, registry, { timings });
    this.sweep = this.#timers.sweep;
    this.wakeHandler = this.#timers.wakes;
  }

  /** Installs the CRDs and waits until they are served. */
  install(definitions: readonly object[]): Promise<void> {
    return installDefinitions(this.server, definitions);
  }

  /** A separate worker, whose leases have its name. */
  worker(
    owner = 'worker-1',
    { registry, wakes, ...changes }: Partial<PassDependencies> = {},
    options: Partial<PassOptions> = {},
  ): EventHandler['passes'] {
    const engine = this.#engine({ owner, registry, pass: options, ports: changes });
    return createEventHandler({ ...engine, ...changes, ...(wakes !== undefined && { wakes }) }, '').passes;
  }

  poller(): EventHandler['polls'] {
    return createEventHandler(this.#engine(), '').polls;
  }

  fanouts(): EventHandler['rounds'] {
    return createEventHandler(this.#engine(), '').rounds;
  }

  /** A relay on the world's cluster. Once it runs, it continues when the test moves the clock. */
  relay(
    options: Partial<RelayPartOptions> = {},
    changes: Partial<Pick<Engine, 'api' | 'entropy'>> = {},
  ): ReturnType<typeof createRelay> {
    return createRelay({ ...this, ...changes }, this.registry, { cluster: TEST_CLUSTER, scope: {}, ...options });
  }

  /**
   * One process of the installation. The world owns the cluster, so nothing verifies the cluster or checks which
   * deployment drives it.
   */
  #engine({
    owner = 'worker-1',
    registry = this.registry,
    pass = {},
    ports = {},
  }: {
    owner?: string;
    registry?: Registry | undefined;
    pass?: Partial<PassOptions>;
    ports?: Partial<EnginePorts>;
  } = {}): Engine {
    const { store, wakes, api, clock, entropy, logger, metrics } = this;
    const own = {
      store,
      queues: this.#queues,
      wakes,
      api,
      clock,
      entropy,
      logger,
      metrics,
      strays: processStrayErrors,
    };
    return createEngine({ ...own, ...ports }, registry, {
      cluster: TEST_CLUSTER,
      installation: 'test',
      owner,
      pass: { ...this.options, ...pass },
      onPass: (report) => this.reports.push(this.#withError(report)),
      onAuthorError: (error) => this.errors.push(error),
    });
  }

  #withError(report: PassReport): World['reports'][number] {
    const found = report.passId === '' ? undefined : this.errors.findLast(({ passId }) => passId === report.passId);
    return found === undefined ? report : { ...report, thrown: found.error };
  }

  queue(group: string, lane: Lane = 'events'): MemoryFifoQueue {
    const queue = this.#queues[group]?.[lane];
    if (queue === undefined) throw new Error(`no controller of group ${group} is installed`);
    return queue;
  }

  /** Creates an object as a user would. */
  create(type: ResourceType, object: Omit<DesiredObject, 'apiVersion' | 'kind'>): Promise<KubeObject> {
    const whole = { apiVersion: apiVersion(type), kind: type.kind, ...object } as DesiredObject;
    return this.user.create(type, whole, { fieldManager: 'test' });
  }

  /** Changes an object as a user would. */
  edit(
    type: ResourceType,
    object: Pick<KubeObject, 'metadata'>,
    patch: object,
    subresource?: 'status',
  ): Promise<KubeObject> {
    const name = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
    return this.user.patch(
      type,
      name,
      { type: 'merge', patch: patch as JsonValue },
      { fieldManager: 'test', ...(subresource === undefined ? {} : { subresource }) },
    );
  }

  remove(type: ResourceType, object: Pick<KubeObject, 'metadata'>): Promise<void> {
    const { namespace, name, uid } = object.metadata;
    return this.user.delete(type, { namespace: namespace ?? '', name }, { preconditions: { uid } });
  }

  async read(type: ResourceType, object: Pick<KubeObject, 'metadata'>): Promise<KubeObject> {
    return await this.user.get(type, { namespace: object.metadata.namespace ?? '', name: object.metadata.name });
  }

  /** The event that the relay would send for the present state of an object. */
  event(type: ResourceType, object: Pick<KubeObject, 'metadata'>, parts: EventParts = {}): SkinnyEvent {
    const { namespace = '', name, uid, resourceVersion } = object.metadata;
    const target = { cluster: TEST_CLUSTER, kind: kindId(type), namespace, name, uid };
    return eventOf(target, { resourceVersion, at: this.clock.now(), ...parts });
  }

  /** The event that a change of an owned or read object sends to a target. */
  dependencyEvent(
    target: { type: ResourceType; object: Pick<KubeObject, 'metadata'> },
    changed: ObjectChange,
  ): SkinnyEvent {
    return this.event(target.type, target.object, { cause: 'dependency', changed: changedObjectOf(changed) });
  }

  /**
   * Runs the relay and every pass until nothing is due, for any cause: a user's edit, a dependency, a timer. Advances
   * the clock by a second after the last message. The first call starts the relay, which then runs as long as the
   * world.
   * @throws Error when something was due in each of 300 seconds.
   */
  async settle(runner: Passes = this.worker()): Promise<void> {
    this.#relaying ??= this.relay().run(new AbortController().signal);
    await settleWorld({ world: this, deliver: () => this.#deliverAll(runner) });
  }

  /**
   * Advances the clock to a time, runs the relay, the sweep and every pass that is due by then, and settles there.
   * @param time epoch milliseconds, a Date or ISO 8601 text. A time in the past is an error.
   */
  async at(time: number | string | Date, runner: Passes = this.worker()): Promise<void> {
    const ms = new Date(time).getTime() - this.clock.now();
    if (!(ms >= 0)) throw new Error(`the clock of the world only moves on, and ${String(time)} is no later time`);
    await this.settle(runner);
    const leftMs = Math.max(0, new Date(time).getTime() - this.clock.now());
    await this.run(leftMs, runner, Math.min(60_000, Math.max(1_000, leftMs / 3_600)));
    await this.settle(runner);
  }

  /** Delivers all visible messages of the queues and wakes, until none is left. Time does not advance. */
  async drain(runner: Passes = this.worker()): Promise<void> {
    await this.#deliverAll(runner);
  }

  /** @returns how many messages were delivered. */
  async #deliverAll(runner: Passes): Promise<number> {
    let total = 0;
    for (let delivered = -1; delivered !== 0; total += delivered) {
      delivered = (await this.#deliverWakes()) + (await this.#deliverEvents(runner));
    }
    return total;
  }

  /** Advances the clock in steps, runs the sweep each minute, and delivers the messages that become visible. */
  async run(ms: number, runner: Passes = this.worker(), stepMs = 1_000): Promise<void> {
    const untilMs = this.clock.monotonic() + ms;
    let nextSweepMs = this.clock.monotonic();
    while (this.clock.monotonic() < untilMs) {
      if (this.clock.monotonic() >= nextSweepMs) {
        await this.sweep.run();
        nextSweepMs += 60_000;
      }
      await this.drain(runner);
      await this.clock.advance(Math.min(stepMs, untilMs - this.clock.monotonic()));
    }
    await this.drain(runner);
  }

  async #deliverWakes(): Promise<number> {
    const messages = await this.wakes.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 });
    const failed = await this.#timers.handleWakes(messages);
    const done = messages.filter(({ messageId }) => !failed.has(messageId));
    await this.wakes.delete(done.map(({ receiptHandle }) => receiptHandle));
    return messages.length;
  }

  async #deliverEvents(runner: Passes): Promise<number> {
    let delivered = 0;
    const engine = this.#engine();
    const worker = createWorker({ ...this, queues: this.#queues }, this.registry, {
      timings: this.options.timings,
      within: (event, handle) => (isRequest(event) ? handle(engine) : runner.handle(event)),
      knows: (cluster) => cluster === TEST_CLUSTER,
    });
    for (const [group, lanes] of Object.entries(this.#queues)) {
      for (const [lane, queue] of Object.entries(lanes)) {
        const messages = await queue.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 });
        await worker.batchRunner(group, lane as Lane).run(messages);
        delivered += messages.length;
      }
    }
    return delivered;
  }
}
