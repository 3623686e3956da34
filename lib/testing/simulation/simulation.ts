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

/** Sees what happens, as it happens. */
export interface SimulationObserver extends CallObserver {
  /** A process begins with messages that it received together. */
  batchBegan(process: SimulatedProcess, messages: readonly ReceivedMessage[]): void;
  /** The engine begins with a message. */
  handling(scope: MessageScope): void;
  /** The engine is done with a message: it may be acknowledged, or must come again. */
  handled(scope: MessageScope, acknowledged: boolean): void;
}

/** What a process does until its signal aborts. */
export type ProcessBody = (process: SimulatedProcess, signal: AbortSignal) => Promise<void>;

/**
 * Shared parts in memory under a seeded scheduler: table, queues, API server. Processes are started on them, each with
 * its own skewed clock; each call of theirs is a point where anything may happen.
 */
export class Simulation {
  readonly scheduler: Scheduler;
  readonly server: ApiServer;
  /** Straight to the server, for users and the workload: not scheduled, never faulty. */
  readonly direct: ClusterApi;
  /** What is true in the cluster. */
  readonly cluster = new ClusterMirror();
  readonly store: MemoryStateStore;
  readonly queues: Readonly<Record<string, Record<Lane, MemoryFifoQueue>>>;
  readonly wakes: MemoryDelayQueue;
  /** The registry of no process in particular. */
  readonly registry: Registry;
  readonly controllers: Controllers;
  readonly passOptions: PassOptions;
  readonly relayOptions: Partial<RelayOptions>;
  readonly concurrency: PartSettings['concurrency'];
  /** All processes belong to it, and no other one drives the cluster. */
  readonly deployment: DrivingDeployment;
  /** What its processes' engines are made with. */
  readonly engineOptions: SimulatedEngineOptions['engineOptions'];
  /** Two readers are many: a change is sent in rounds where it is sent to each reader otherwise. */
  readonly fewAreMany: boolean;
  readonly metrics = new RecordedMetrics();
  readonly logger = new SilentLogger();
  readonly processes = new Map<string, { process: SimulatedProcess; body: ProcessBody }>();
  /** The clouds themselves: what the shared parts wait on. */
  readonly host: SimulatedProcess;
  /** Set to make calls fail. */
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
  /** What a process makes of a controller before it runs it. */
  spoil: (controller: Controller, process: SimulatedProcess) => Controller = (controller) => controller;
  /** Told of a controller's function that awaits what nothing in the simulation will bring about. */
  onOutside: (run: ControllerRun) => void = () => {};
  /** Why the last call of a controller for a target failed, by UID; what was answered without failing is not in it. */
  readonly failures = new Map<string, string>();
  /** What all users wrote. */
  readonly userWrites = noWrites();
  /** How often the cluster was restored from a backup. */
  restores = 0;
  /** How often an older table was put in the place of the present one. */
  olderTables = 0;
  /** How often its history was forgotten. */
  compactions = 0;
  /** How often a relay listed a kind from its start that one had listed before, since it died before its first checkpoint. */
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

  /** Starts from a cluster that has the definitions. To be called once, before anything else is there. */
  async install(definitions: readonly object[]): Promise<void> {
    const { backup, uids } = await installedCluster(definitions, this.scheduler.now());
    this.#definitions = definitions as readonly KubeObject[];
    this.#uids = uids;
    this.server.restore(backup);
    this.cluster.restore(backup);
  }

  /** Brings back the definitions that somebody has deleted. */
  async reinstall(): Promise<void> {
    for (const definition of this.#definitions) {
      const { name } = definition.metadata;
      if (this.cluster.get(CustomResourceDefinitions, { namespace: '', name }) !== undefined) continue;
      this.scheduler.trace.add(this.scheduler.now(), 'user', `installs ${name} again`);
      await this.direct.create(CustomResourceDefinitions, definition, { fieldManager: 'user' });
    }
  }

  /** Starts a process under a role's name; one that ran under it before is crashed. */
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
      // A process that ends with an error is what an operator would see as a restart.
      scheduler.trace.add(
        scheduler.now(),
        process.name,
        `ENDS: ${error instanceof Error ? error.message : String(error)}`,
      );
      process.crash();
    });
    return process;
  }

  /** The controllers as a process runs them. */
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
    // One object is asked for where a watch goes on from a checkpoint.
    if (options?.limit === 1 || options?.continueToken !== undefined) return;
    const stream = `${kindId(type)} ${options?.namespace ?? ''}`;
    if (this.#listed.has(stream)) this.relists += 1;
    this.#listed.add(stream);
  }

  /** Crashes a role's process at whatever it does, and starts it again. */
  restart(role: string, skewMs = 0): void {
    const known = this.processes.get(role);
    if (known !== undefined) this.start(role, known.body, skewMs);
  }

  /** Goes back to a backup of the cluster, its versions too; all watches end. */
  restore(backup: ReturnType<ApiServer['snapshot']>): void {
    this.restores += 1;
    this.server.restore(backup);
    this.cluster.restore(backup);
  }

  /** Remembers the table. @returns puts it in the place of the one that is there then. */
  backUpTable(): () => void {
    const putBack = this.store.backUp();
    return () => {
      this.olderTables += 1;
      this.scheduler.trace.add(this.scheduler.now(), 'fate', 'AN OLDER TABLE IS PUT IN PLACE');
      putBack();
    };
  }

  /** Forgets the history of the cluster: watches of earlier versions end. */
  compact(): void {
    this.compactions += 1;
    this.server.compact();
  }

  /** How often the relay's counter in the cluster had been raised. */
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

  /** Runs until the condition holds or true time has come so far. @returns whether it came to hold. */
  async runUntil(condition: () => boolean, untilMs: number): Promise<boolean> {
    while (!condition()) {
      if (this.scheduler.now() >= untilMs || !(await this.scheduler.step())) return condition();
      this.#look();
    }
    return true;
  }
}
