import { ApiServer } from '../../adapters/apiserver/api-server.ts';
import type { Timers } from '../../adapters/apiserver/timers.ts';
import { KubernetesClusterApi } from '../../adapters/kubernetes/kubernetes-cluster-api.ts';
import { MemoryDelayQueue } from '../../adapters/memory/memory-delay-queue.ts';
import { MemoryFifoQueue } from '../../adapters/memory/memory-fifo-queue.ts';
import { MemoryStateStore } from '../../adapters/memory/memory-state-store.ts';
import type { Controller } from '../../core/controller.ts';
import { BatchRunner } from '../../engine/batch/batch-runner.ts';
import { ClusterGate } from '../../engine/breaker/cluster-gate.ts';
import { EventSender, type GroupQueues, type Lane } from '../../engine/event-sender.ts';
import { EventRecorder } from '../../engine/kube-events/event-recorder.ts';
import type { PassOptions } from '../../engine/pass/pass.ts';
import type { PassReport } from '../../engine/pass/pass-report.ts';
import { DEFAULT_PASS_OPTIONS, PassRunner } from '../../engine/pass/pass-runner.ts';
import { PollRunner } from '../../engine/poll/poll-runner.ts';
import { Registry } from '../../engine/registry.ts';
import { Relay } from '../../engine/relay/relay.ts';
import { Sweep } from '../../engine/sweep/sweep.ts';
import { WakeHandler } from '../../engine/wake/wake-handler.ts';
import { QueueWorker } from '../../engine/worker/queue-worker.ts';
import type { ClusterApi } from '../../ports/cluster-api.ts';
import type { StateStore } from '../../ports/state-store.ts';
import { RecordedMetrics, SilentLogger } from '../recorders.ts';
import { TEST_CLUSTER } from '../world.ts';
import { type FaultPlan, SimulatedProcess } from './process.ts';
import { Scheduler } from './scheduler.ts';
import { reachCluster } from './simulated-cluster-api.ts';
import { Trace } from './trace.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly controllers: readonly Controller[];
  readonly pass?: Partial<PassOptions>;
  /** Keeps every step for a readable timeline. */
  readonly keepTrace?: boolean;
  /** Lets a checker see every call at the moment it takes effect, between the processes and the shared parts. */
  readonly observe?: SimulationObserver;
}

/** Wraps the shared parts, for checkers that look at what really happens. */
export interface SimulationObserver {
  store?(store: StateStore, process: SimulatedProcess): StateStore;
  api?(api: ClusterApi, process: SimulatedProcess): ClusterApi;
  pass?(report: PassReport, process: SimulatedProcess): void;
}

/** What a process does until its signal aborts. */
export type ProcessBody = (process: SimulatedProcess, signal: AbortSignal) => Promise<void>;

const VISIBILITY_WAIT_SECONDS = 20;
const SWEEP_EVERY_MS = 60_000;

/**
 * The real engine under a seeded scheduler: several workers, relays and sweeps at once on a shared table, queues and API
 * server in memory, each process with its own skewed clock, each call a point where anything may happen.
 */
export class Simulation {
  readonly scheduler: Scheduler;
  readonly server: ApiServer;
  /** Straight to the server, for users, checkers and the workload: not scheduled, never faulty. */
  readonly direct: ClusterApi;
  readonly store: MemoryStateStore;
  readonly queues: Readonly<Record<string, Record<Lane, MemoryFifoQueue>>>;
  readonly wakes: MemoryDelayQueue;
  readonly registry: Registry;
  readonly metrics = new RecordedMetrics();
  readonly logger = new SilentLogger();
  readonly processes = new Map<string, { process: SimulatedProcess; body: ProcessBody }>();
  /** Set to make calls fail; replaced by a plan that never does when faults stop. */
  faults: FaultPlan = () => ({ type: 'answer' });
  private readonly options: SimulationOptions;
  private readonly passOptions: PassOptions;
  private lives = 0;

  constructor(options: SimulationOptions) {
    this.options = options;
    this.passOptions = { ...DEFAULT_PASS_OPTIONS, targetResyncMs: undefined, ...options.pass };
    this.scheduler = new Scheduler(options.seed, new Trace(options.keepTrace ?? false));
    const { scheduler } = this;
    const host = new SimulatedProcess(scheduler, 'cloud', 0, () => ({ type: 'answer' }));
    let uids = 0;
    this.server = new ApiServer({
      clock: () => scheduler.now(),
      newUid: () => {
        uids += 1;
        return `00000000-0000-4000-8000-${String(uids).padStart(12, '0')}`;
      },
      random: () => scheduler.entropy.random(),
      timers: timersOf(scheduler, host),
      defer: (task) => void scheduler.turn(host, "the cluster's controllers run").then(task),
    });
    this.direct = new KubernetesClusterApi({ transport: this.server, clock: host.clock, userAgent: 'user' });
    this.store = new MemoryStateStore({ clock: host.clock });
    this.registry = new Registry(options.controllers);
    this.wakes = new MemoryDelayQueue({ clock: host.clock });
    this.queues = Object.fromEntries(
      this.registry.groups().map((group) => [
        group,
        {
          events: new MemoryFifoQueue({ clock: host.clock, maxReceiveCount: 10 }),
          resync: new MemoryFifoQueue({ clock: host.clock, maxReceiveCount: 10 }),
        },
      ]),
    );
  }

  async install(definitions: readonly object[]): Promise<void> {
    for (const definition of definitions) {
      await this.server.send({
        method: 'POST',
        path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        headers: { 'content-type': 'application/json', 'user-agent': 'user' },
        body: JSON.stringify(definition),
      });
    }
  }

  /** Starts a process under a role's name; one that ran under it before is crashed. */
  start(role: string, body: ProcessBody, skewMs = 0): SimulatedProcess {
    this.processes.get(role)?.process.crash();
    this.lives += 1;
    const process = new SimulatedProcess(this.scheduler, `${role}#${this.lives}`, skewMs, (...call) =>
      this.faults(...call),
    );
    this.processes.set(role, { process, body });
    const running = body(process, new AbortController().signal);
    running.catch((error: unknown) => {
      // A process that ends with an error is what an operator would see as a restart.
      this.scheduler.trace.step(
        this.scheduler.now(),
        process.name,
        `ends: ${error instanceof Error ? error.message : String(error)}`,
      );
      process.crash();
    });
    return process;
  }

  /** Crashes a role's process at whatever it does, and starts it again. */
  restart(role: string, skewMs = 0): void {
    const known = this.processes.get(role);
    if (known !== undefined) this.start(role, known.body, skewMs);
  }

  /** A worker: reconciles, polls and handles delayed wakes. */
  readonly worker: ProcessBody = async (process, signal) => {
    const parts = this.partsOf(process);
    const { clock, entropy, store, sender, wakes, gate } = parts;
    const { registry, logger, metrics, passOptions } = this;
    const clusters = { api: (cluster: string) => (cluster === TEST_CLUSTER ? parts.api : undefined) };
    const runner = new PassRunner(
      {
        registry,
        clusters,
        store,
        wakes,
        gate,
        events: new EventRecorder(clock, 'simulation'),
        clock,
        entropy,
        logger,
        metrics,
        owner: process.name,
        onPass: (report) => this.options.observe?.pass?.(report, process),
      },
      passOptions,
    );
    const typeOf = (group: string, kind: string) => registry.typeOf(group, kind);
    const poller = new PollRunner({ store, clusters, sender, gate, wakes, typeOf, clock, entropy, logger, metrics });
    const wakeHandler = new WakeHandler({ store, sender, registry, wakes, clock, logger, metrics });
    const queueOptions = { concurrency: 4, timings: passOptions.timings, waitSeconds: VISIBILITY_WAIT_SECONDS };
    const lanes = Object.entries(this.queues).flatMap(([group, queues]) =>
      Object.values(queues).map((shared) => {
        const queue = process.reach(shared, 'queue');
        const batch = new BatchRunner({
          group,
          handle: (event) => (event.cause === 'poll' ? poller.handle(event) : runner.handle(event)),
          refusal: (event) => registry.refusal(group, event, (cluster) => cluster === TEST_CLUSTER),
          queue,
          timings: passOptions.timings,
          clock,
          logger,
          metrics,
        });
        return new QueueWorker(queue, (messages) => batch.run(messages), clock, logger, queueOptions).run(signal);
      }),
    );
    const handleWakes = new QueueWorker(
      wakes,
      async (messages) => {
        for (const message of messages) {
          await wakeHandler.handle(message);
          await wakes.delete([message.receiptHandle]);
        }
      },
      clock,
      logger,
      queueOptions,
    );
    await Promise.all([...lanes, handleWakes.run(signal)]);
  };

  readonly relay: ProcessBody = async (process, signal) => {
    const { api, store, sender, clock, entropy } = this.partsOf(process);
    const { registry, logger, metrics, passOptions } = this;
    const relay = new Relay({
      cluster: TEST_CLUSTER,
      api,
      store,
      sender,
      registry,
      scope: passOptions.scope,
      clock,
      entropy,
      logger,
      metrics,
    });
    await relay.run(signal);
  };

  readonly sweep: ProcessBody = async (process, signal) => {
    const { store, sender, wakes, clock } = this.partsOf(process);
    const { registry, logger, metrics, passOptions } = this;
    const sweep = new Sweep({ store, sender, registry, wakes, timings: passOptions.timings, clock, logger, metrics });
    for (;;) {
      await clock.sleep(SWEEP_EVERY_MS, signal);
      // As a scheduled function that failed: the next one tries again.
      await sweep.run(signal).catch(() => undefined);
    }
  };

  /** Runs until the condition holds or so many steps were taken. @returns whether it came to hold. */
  async runUntil(condition: () => boolean, limits: { steps: number; untilMs?: number }): Promise<boolean> {
    for (let step = 0; step < limits.steps; step += 1) {
      if (condition()) return true;
      if (limits.untilMs !== undefined && this.scheduler.now() >= limits.untilMs) return condition();
      if (!(await this.scheduler.step())) return condition();
    }
    return condition();
  }

  private partsOf(process: SimulatedProcess) {
    const { observe } = this.options;
    const { clock, entropy } = process;
    const shared = new KubernetesClusterApi({ transport: this.server, clock, userAgent: 'evenkeel' });
    const api = reachCluster(this.scheduler, process, observe?.api?.(shared, process) ?? shared);
    const store = process.reach(observe?.store?.(this.store, process) ?? this.store, 'store');
    const queues = Object.fromEntries(
      Object.entries(this.queues).map(([group, lanes]) => [
        group,
        {
          events: process.reach(lanes.events, 'queue'),
          resync: process.reach(lanes.resync, 'queue'),
        } satisfies GroupQueues,
      ]),
    );
    const sender = new EventSender(this.registry, queues, entropy);
    const wakes = process.reach(this.wakes, 'wakes');
    const gate = new ClusterGate(store, clock, entropy, this.metrics);
    return { api, store, sender, wakes, gate, clock, entropy };
  }
}

function timersOf(scheduler: Scheduler, host: SimulatedProcess): Timers {
  return {
    after: (delayMs, task) => {
      const taken = new AbortController();
      scheduler.sleep(host, delayMs, taken.signal).then(task, () => undefined);
      return () => taken.abort();
    },
  };
}
