import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiServer } from '../adapters/apiserver/api-server.ts';
import { KubernetesClusterApi } from '../adapters/kubernetes/kubernetes-cluster-api.ts';
import type { Transport } from '../adapters/kubernetes/transport.ts';
import { MemoryDelayQueue } from '../adapters/memory/memory-delay-queue.ts';
import { MemoryFifoQueue } from '../adapters/memory/memory-fifo-queue.ts';
import { MemoryStateStore } from '../adapters/memory/memory-state-store.ts';
import type { OnRequest } from '../adapters/request-observer.ts';
import { processStrayErrors } from '../adapters/system/process-stray-errors.ts';
import type { Controller } from '../core/controller.ts';
import { EVENT_VERSION, type SkinnyEvent } from '../core/event.ts';
import type { DesiredObject, JsonValue, KubeObject } from '../core/kube-object.ts';
import { apiVersion, kindId, type ResourceType } from '../core/resource-type.ts';
import type { AuthorError } from '../engine/author/author-error.ts';
import { BatchRunner } from '../engine/batch/batch-runner.ts';
import { ClusterGate } from '../engine/breaker/cluster-gate.ts';
import { EventSender, type GroupQueues, type Lane } from '../engine/event-sender.ts';
import { FanoutRunner } from '../engine/fanout/fanout-runner.ts';
import { EventRecorder } from '../engine/kube-events/event-recorder.ts';
import type { PassDependencies, PassOptions } from '../engine/pass/pass.ts';
import type { PassReport } from '../engine/pass/pass-report.ts';
import { DEFAULT_PASS_OPTIONS, PassRunner } from '../engine/pass/pass-runner.ts';
import { PollRunner } from '../engine/poll/poll-runner.ts';
import { Registry } from '../engine/registry.ts';
import { Sweep } from '../engine/sweep/sweep.ts';
import { WakeHandler } from '../engine/wake/wake-handler.ts';
import type { ClusterApi } from '../ports/cluster-api.ts';
import { MAX_RECEIVE_COUNT } from '../ports/queue.ts';
import type { StateStore } from '../ports/state-store.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordedMetrics, SilentLogger } from './recorders.ts';
import { SeededEntropy } from './seeded-entropy.ts';
import { watchStrayErrors } from './stray-errors.ts';

export const TEST_CLUSTER = 'test';

export interface WorldOptions {
  readonly controllers: readonly Controller[];
  readonly seed?: number;
  readonly pass?: Partial<PassOptions>;
  readonly onRequest?: OnRequest;
  /** Between the engine and the table, for faults. */
  readonly wrapStore?: (store: MemoryStateStore) => StateStore;
  /** Between the engine and the API server, for faults. */
  readonly wrapTransport?: (server: ApiServer) => Transport;
}

/**
 * The whole engine on in-memory parts and a clock that a test moves: what a controller's author tests on, and what the
 * engine's own tests use. Nothing runs by itself: a test hands events to workers, or lets `drain` do it.
 */
export class World {
  readonly clock = new ManualClock();
  readonly entropy: SeededEntropy;
  readonly server: ApiServer;
  /** What the engine uses. */
  readonly api: ClusterApi;
  /** What the test itself uses: its requests carry another user agent. */
  readonly user: ClusterApi;
  readonly memory: MemoryStateStore;
  readonly store: StateStore;
  readonly registry: Registry;
  readonly wakes: MemoryDelayQueue;
  readonly metrics = new RecordedMetrics();
  readonly logger = new SilentLogger();
  /** How each message ended. `thrown` is what the controller's code threw last in that pass, or gave to `retry`. */
  readonly reports: (PassReport & { readonly thrown?: unknown })[] = [];
  /** Every error of the controllers' code, as it is; what users and the table are told withholds the text. */
  readonly errors: AuthorError[] = [];
  readonly sender: EventSender;
  readonly sweep: Sweep;
  readonly wakeHandler: WakeHandler;
  readonly options: PassOptions;
  readonly #queues: Record<string, Record<Lane, MemoryFifoQueue>> = {};

  constructor(options: WorldOptions) {
    const { clock } = this;
    watchStrayErrors();
    this.entropy = new SeededEntropy(options.seed ?? 1);
    let uids = 0;
    this.server = new ApiServer({
      clock: () => clock.now(),
      newUid: () => {
        uids += 1;
        return `00000000-0000-4000-8000-${String(uids).padStart(12, '0')}`;
      },
      random: () => this.entropy.random(),
      timers: {
        after: (delayMs, task) => {
          const timer = new AbortController();
          clock.sleep(delayMs, timer.signal).then(task, () => {});
          return () => timer.abort();
        },
      },
    });
    const transport = options.wrapTransport?.(this.server) ?? this.server;
    this.api = new KubernetesClusterApi({ transport, clock, userAgent: 'evenkeel' });
    this.user = new KubernetesClusterApi({ transport: this.server, clock, userAgent: 'test' });
    this.memory = new MemoryStateStore({
      clock,
      ...(options.onRequest === undefined ? {} : { onRequest: options.onRequest }),
    });
    this.store = options.wrapStore?.(this.memory) ?? this.memory;
    this.registry = new Registry(options.controllers);
    const queueOptions = {
      clock,
      maxReceiveCount: MAX_RECEIVE_COUNT,
      ...(options.onRequest === undefined ? {} : { onRequest: options.onRequest }),
    };
    this.wakes = new MemoryDelayQueue(queueOptions);
    for (const group of this.registry.groups()) {
      this.#queues[group] = { events: new MemoryFifoQueue(queueOptions), resync: new MemoryFifoQueue(queueOptions) };
    }
    this.sender = new EventSender(this.registry, this.#queues as Record<string, GroupQueues>, this.entropy);
    this.options = { ...DEFAULT_PASS_OPTIONS, targetResyncMs: undefined, ...options.pass };
    const { store, sender, registry, wakes, logger, metrics } = this;
    const { timings } = this.options;
    this.sweep = new Sweep({ store, sender, registry, wakes, timings, clock, logger, metrics });
    this.wakeHandler = new WakeHandler({ store, sender, registry, wakes, timings, clock, logger, metrics });
  }

  /** Installs the CRDs and waits until they are served. */
  async install(definitions: readonly object[]): Promise<void> {
    for (const definition of definitions) {
      await this.server.send({
        method: 'POST',
        path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        headers: { 'content-type': 'application/json', 'user-agent': 'test' },
        body: JSON.stringify(definition),
      });
    }
    await nextTurn();
  }

  /** A worker of its own: its leases carry the name. */
  worker(owner = 'worker-1', changes: Partial<PassDependencies> = {}, options: Partial<PassOptions> = {}): PassRunner {
    const { clock, entropy, store, registry, logger, metrics, wakes } = this;
    const usedStore = changes.store ?? store;
    const deps: PassDependencies = {
      registry,
      clusters: { api: (cluster) => (cluster === TEST_CLUSTER ? this.api : undefined) },
      store,
      wakes,
      gate: new ClusterGate(usedStore, clock, entropy, metrics),
      events: new EventRecorder(clock, 'test'),
      clock,
      entropy,
      logger,
      metrics,
      owner,
      strays: processStrayErrors,
      onPass: (report) => this.reports.push(this.#withError(report)),
      onAuthorError: (error) => this.errors.push(error),
      ...changes,
    };
    return new PassRunner(deps, { ...this.options, ...options });
  }

  #withError(report: PassReport): World['reports'][number] {
    const found = report.passId === '' ? undefined : this.errors.findLast(({ passId }) => passId === report.passId);
    return found === undefined ? report : { ...report, thrown: found.error };
  }

  poller(): PollRunner {
    const { clock, entropy, store, registry, logger, metrics, wakes, sender } = this;
    return new PollRunner({
      store,
      clusters: { api: () => this.api },
      sender,
      gate: new ClusterGate(store, clock, entropy, metrics),
      wakes,
      registry,
      clock,
      entropy,
      logger,
      metrics,
    });
  }

  fanouts(): FanoutRunner {
    const { clock, entropy, store, registry, logger, metrics, wakes, sender } = this;
    const { passLimitMs } = this.options.timings;
    return new FanoutRunner({ store, registry, sender, wakes, passLimitMs, clock, entropy, logger, metrics });
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

  /** The event that the relay would send for an object as it is now. */
  event(type: ResourceType, object: Pick<KubeObject, 'metadata'>, changes: Partial<SkinnyEvent> = {}): SkinnyEvent {
    const { namespace, name, uid, resourceVersion } = object.metadata;
    return {
      v: EVENT_VERSION,
      cluster: TEST_CLUSTER,
      incarnation: 1,
      kind: kindId(type),
      namespace: namespace ?? '',
      name,
      uid,
      resourceVersion,
      cause: 'updated',
      at: this.clock.now(),
      ...changes,
    };
  }

  /** The event that an owned or read object's change sends to a target. */
  dependencyEvent(
    target: { type: ResourceType; object: Pick<KubeObject, 'metadata'> },
    changed: { type: ResourceType; object: Pick<KubeObject, 'metadata'>; deleted?: boolean },
  ): SkinnyEvent {
    const { namespace, name, uid, resourceVersion } = changed.object.metadata;
    const { resourceVersion: _, ...event } = this.event(target.type, target.object, { cause: 'dependency' });
    return {
      ...event,
      changed: {
        kind: kindId(changed.type),
        namespace: namespace ?? '',
        name,
        uid,
        resourceVersion,
        ...(changed.deleted === undefined ? {} : { deleted: changed.deleted }),
      },
    };
  }

  /** Delivers everything that is visible now, queues and wakes, until nothing is left. Time does not move. */
  async drain(runner: PassRunner = this.worker()): Promise<void> {
    for (let delivered = -1; delivered !== 0; ) {
      delivered = (await this.#deliverWakes()) + (await this.#deliverEvents(runner));
    }
  }

  /** Moves time on in steps, running the sweep each minute and delivering what becomes visible. */
  async run(ms: number, runner: PassRunner = this.worker(), stepMs = 1_000): Promise<void> {
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
    for (const message of messages) await this.wakeHandler.handle(message);
    await this.wakes.delete(messages.map(({ receiptHandle }) => receiptHandle));
    return messages.length;
  }

  async #deliverEvents(runner: PassRunner): Promise<number> {
    let delivered = 0;
    const poller = this.poller();
    const fanouts = this.fanouts();
    for (const [group, lanes] of Object.entries(this.#queues)) {
      for (const queue of Object.values(lanes)) {
        const messages = await queue.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 });
        const batch = new BatchRunner({
          group,
          handle: (event) => {
            if (event.cause === 'poll') return poller.handle(event);
            return event.cause === 'fanout' ? fanouts.handle(event) : runner.handle(event);
          },
          refusal: (event) => this.registry.refusal(group, event, (cluster) => cluster === TEST_CLUSTER),
          queue,
          failures: this.store,
          timings: this.options.timings,
          clock: this.clock,
          logger: this.logger,
          metrics: this.metrics,
        });
        await batch.run(messages);
        delivered += messages.length;
      }
    }
    return delivered;
  }
}
