import { KubernetesClusterApi } from '../../adapters/kubernetes/kubernetes-cluster-api.ts';
import { MemoryDelayQueue } from '../../adapters/memory/memory-delay-queue.ts';
import { MemoryFifoQueue } from '../../adapters/memory/memory-fifo-queue.ts';
import { MemoryStateStore } from '../../adapters/memory/memory-state-store.ts';
import { ApiServer } from '../../apiserver/api-server.ts';
import type { Controller } from '../../core/controller.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { CustomResourceDefinitions, kindId, Leases } from '../../core/resource-type.ts';
import type { Lane } from '../../engine/event-sender.ts';
import type { PassOptions } from '../../engine/pass/pass.ts';
import { Registry } from '../../engine/registry.ts';
import { DEFAULT_RELAY_OPTIONS, type RelayOptions } from '../../engine/relay/relay-options.ts';
import { restoreCounterAnnotation } from '../../engine/relay/restore-witness.ts';
import type { DrivingDeployment } from '../../engine/runtime/engine.ts';
import type { ClusterApi } from '../../ports/cluster-api.ts';
import type { ReceivedMessage } from '../../ports/queue.ts';
import { MAX_RECEIVE_COUNT } from '../../ports/queue.ts';
import { RecordedMetrics, SilentLogger } from '../recorders.ts';
import { ClusterMirror } from './cluster-mirror.ts';
import type { Controllers } from './controller-host.ts';
import { type ControllerRun, ControllerRuns } from './controller-runs.ts';
import type { PartSettings } from './draw-settings.ts';
import { engineOptionsOf, type SimulatedEngineOptions } from './engine-options.ts';
import { installedCluster, uidOf } from './installed-cluster.ts';
import {
  type CallObserver,
  type FaultPlan,
  type MessageScope,
  type ObservedCall,
  SimulatedProcess,
} from './process.ts';
import { Scheduler } from './scheduler.ts';
import { timersOf } from './server-timers.ts';
import type { WatchPlan } from './simulated-cluster-api.ts';
import type { QueueFaults } from './simulated-queues.ts';
import type { SimulationOptions } from './simulation-options.ts';
import { Trace } from './trace.ts';
import { noWrites } from './user.ts';

/** Is called for everything that happens, in order. */
export interface SimulationObserver extends CallObserver {
  /** A process begins with a batch of received messages. */
  batchBegan(process: SimulatedProcess, messages: readonly ReceivedMessage[]): void;
  /** The engine begins with a message. */
  handling(scope: MessageScope): void;
  /** The engine has finished a message: the message may be acknowledged, or must be delivered again. */
  handled(scope: MessageScope, acknowledged: boolean): void;
}

/** The body of a process; it runs until the signal of the process aborts. */
export type ProcessBody = (process: SimulatedProcess, signal: AbortSignal) => Promise<void>;

/**
 * The shared parts, in memory, with a seeded scheduler: table, queues, API server. Processes run on them, each with its
 * own skewed clock. Any fault may happen at each of their calls.
 */
export class Simulation {
  readonly scheduler: Scheduler;
  readonly server: ApiServer;
  /** Direct access to the server, for users and the workload: not scheduled, and without faults. */
  readonly direct: ClusterApi;
  /** The true state of the cluster. */
  readonly cluster = new ClusterMirror();
  readonly store: MemoryStateStore;
  readonly queues: Readonly<Record<string, Record<Lane, MemoryFifoQueue>>>;
  readonly wakes: MemoryDelayQueue;
  /** The registry, for code outside of processes. */
  readonly registry: Registry;
  readonly controllers: Controllers;
  readonly passOptions: PassOptions;
  readonly relayOptions: Partial<RelayOptions>;
  readonly concurrency: PartSettings['concurrency'];
  /** All processes belong to this deployment, and no other deployment drives the cluster. */
  readonly deployment: DrivingDeployment;
  /** The options of all engines. */
  readonly engineOptions: SimulatedEngineOptions['engineOptions'];
  /** Two readers make a change wide, so it is sent in rounds where it would otherwise be sent to each reader. */
  readonly fewAreMany: boolean;
  readonly metrics = new RecordedMetrics();
  readonly logger = new SilentLogger();
  readonly processes = new Map<string, { process: SimulatedProcess; body: ProcessBody }>();
  /** Represents the cloud services: the shared parts wait as this process. */
  readonly host: SimulatedProcess;
  /** Set this to make calls fail. */
  faults: FaultPlan = () => ({ type: 'answer' });
  watchFaults: WatchPlan = () => ({ type: 'answer' });
  queueFaults: QueueFaults = {
    refuses: () => false,
    duplicates: () => false,
    reroutes: () => false,
  };
  observer: SimulationObserver = {
    before: () => {},
    after: () => {},
    unanswered: () => {},
    batchBegan: () => {},
    handling: () => {},
    handled: () => {},
  };
  /** Changes a controller before a process runs it. */
  spoil: (controller: Controller, process: SimulatedProcess) => Controller = (controller) => controller;
  /** Called for a controller's function that waits for something that the simulation does not control. */
  onOutside: (run: ControllerRun) => void = () => {};
  /** Why the last call of a controller for a target failed, by UID. A call that did not fail has no entry. */
  readonly failures = new Map<string, string>();
  /** Counts the writes of all users. */
  readonly userWrites = noWrites();
  /** How often the cluster was restored from a backup. */
  restores = 0;
  /** How often an older table replaced the present one. */
  olderTables = 0;
  /** How often the cluster's history was compacted. */
  compactions = 0;
  /** How often a relay listed a kind from the start again because an earlier relay died before its first checkpoint. */
  relists = 0;
  readonly #listed = new Set<string>();
  readonly #runs = new Set<ControllerRuns>();
  #definitions: readonly KubeObject[] = [];
  #lives = 0;
  #uids = 0;

  constructor(options: SimulationOptions) {
    this.controllers = options.controllers;
    const { passOptions, relayOptions, deployment, engineOptions } = engineOptionsOf(options);
    this.passOptions = passOptions;
    this.relayOptions = relayOptions;
    this.deployment = deployment;
    this.engineOptions = engineOptions;
    this.fewAreMany = options.fewAreMany ?? false;
    this.concurrency = options.settings.concurrency;
    this.scheduler = new Scheduler(options.seed, new Trace(options.keepTrace ?? false));
    const { scheduler } = this;
    this.host = new SimulatedProcess(scheduler, 'cloud');
    const { clock } = this.host;
    this.server = new ApiServer({
      clock: () => scheduler.now(),
      newUid: () => {
        this.#uids += 1;
        return uidOf(this.#uids);
      },
      random: () => scheduler.entropy.random(),
      timers: timersOf(scheduler, this.host),
      onChange: (change) => this.cluster.apply(change),
      defer: (task) => void scheduler.turn(this.host, "the cluster's own controllers run").then(task),
    });
    this.direct = new KubernetesClusterApi({ transport: this.server, clock, userAgent: 'user' });
    this.store = new MemoryStateStore({ clock, shards: 2, pageSize: 1 });
    this.registry = new Registry(options.controllers({ reach: (port) => port, clock, crash: () => {} }));
    this.wakes = new MemoryDelayQueue({ clock });
    const queue = () => new MemoryFifoQueue({ clock, maxReceiveCount: MAX_RECEIVE_COUNT });
    this.queues = Object.fromEntries(
      this.registry.groups().map((group) => [group, { events: queue(), resync: queue() }]),
    );
  }

  /** Starts from a cluster that has the definitions. Call it once, before anything else exists. */
  async install(definitions: readonly object[]): Promise<void> {
    const { backup, uids } = await installedCluster(definitions, this.scheduler.now());
    this.#definitions = definitions as readonly KubeObject[];
    this.#uids = uids;
    this.server.restore(backup);
    this.cluster.restore(backup);
  }

  /** Installs again the definitions that somebody has deleted. */
  async reinstall(): Promise<void> {
    for (const definition of this.#definitions) {
      const { name } = definition.metadata;
      if (this.cluster.get(CustomResourceDefinitions, { namespace: '', name }) !== undefined) continue;
      this.scheduler.trace.add(this.scheduler.now(), 'user', `installs ${name} again`);
      await this.direct.create(CustomResourceDefinitions, definition, { fieldManager: 'user' });
    }
  }

  /** Starts a process for a role. A process that already runs for the role is crashed. */
  start(role: string, body: ProcessBody, skewMs = 0): SimulatedProcess {
    this.processes.get(role)?.process.crash();
    this.#lives += 1;
    const { scheduler } = this;
    const process = new SimulatedProcess(scheduler, `${role}#${this.#lives}`, {
      skewMs,
      faults: (call) => this.faults(call),
      observer: {
        before: (call) => this.observer.before(call),
        after: (call, outcome) => {
          if (outcome.ok && role.startsWith('relay')) this.#noteList(call);
          this.observer.after(call, outcome);
        },
        unanswered: (call, error) => this.observer.unanswered(call, error),
      },
    });
    this.processes.set(role, { process, body });
    scheduler.trace.add(scheduler.now(), process.name, `STARTS, its clock ${skewMs} ms ahead`);
    body(process, new AbortController().signal).catch((error: unknown) => {
      // An operator would see a process that ends with an error as a restart.
      scheduler.trace.add(
        scheduler.now(),
        process.name,
        `ENDS: ${error instanceof Error ? error.message : String(error)}`,
      );
      process.crash();
    });
    return process;
  }

  /** The controllers in the form in which a process runs them. */
  controllersOf(process: SimulatedProcess): Controller[] {
    const { trace } = this.scheduler;
    const runs = new ControllerRuns({
      process,
      tell: (what) => trace.add(this.scheduler.now(), process.name, what),
      onOutside: (run) => this.onOutside(run),
      onEnd: ({ object: { metadata } }, failure) => {
        if (failure === undefined) this.failures.delete(metadata.uid);
        else this.failures.set(metadata.uid, failure);
      },
    });
    this.#runs.add(runs);
    return runs.watched(this.controllers(runs.host).map((controller) => this.spoil(controller, process)));
  }

  #noteList({ port, method, args }: ObservedCall): void {
    if (port !== 'api' || method !== 'list') return;
    const [type, options] = args as Parameters<ClusterApi['list']>;
    // A list with limit 1 is the check of a watch that continues from a checkpoint.
    if (options?.limit === 1 || options?.continueToken !== undefined) return;
    const stream = `${kindId(type)} ${options?.namespace ?? ''}`;
    if (this.#listed.has(stream)) this.relists += 1;
    this.#listed.add(stream);
  }

  /** Crashes the process of a role at its present call, and starts it again. */
  restart(role: string, skewMs = 0): void {
    const known = this.processes.get(role);
    if (known !== undefined) this.start(role, known.body, skewMs);
  }

  /** Restores a backup of the cluster with its versions. All watches end. */
  restore(backup: ReturnType<ApiServer['snapshot']>): void {
    this.restores += 1;
    this.server.restore(backup);
    this.cluster.restore(backup);
  }

  /** Remembers the table. @returns a function that puts it back in place of the table at that time. */
  backUpTable(): () => void {
    const putBack = this.store.backUp();
    return () => {
      this.olderTables += 1;
      this.scheduler.trace.add(this.scheduler.now(), 'fate', 'AN OLDER TABLE IS PUT IN PLACE');
      putBack();
    };
  }

  /** Drops the history of the cluster: watches of earlier versions end. */
  compact(): void {
    this.compactions += 1;
    this.server.compact();
  }

  /** How often the relay's counter in the cluster has been raised. */
  get restoreCounter(): number {
    const name = { namespace: this.deployment.namespace, name: DEFAULT_RELAY_OPTIONS.witness.name };
    const lease = this.cluster.get(Leases, name);
    return Number(lease?.metadata.annotations?.[restoreCounterAnnotation(this.deployment.name)] ?? 0);
  }

  process(role: string): SimulatedProcess | undefined {
    return this.processes.get(role)?.process;
  }

  #look(): void {
    for (const runs of this.#runs) {
      if (runs.alive) runs.look();
      else this.#runs.delete(runs);
    }
  }

  /** Runs until the condition holds or true time reaches `untilMs`. @returns whether the condition holds. */
  async runUntil(condition: () => boolean, untilMs: number): Promise<boolean> {
    while (!condition()) {
      if (this.scheduler.now() >= untilMs || !(await this.scheduler.step())) return condition();
      this.#look();
    }
    return true;
  }
}
