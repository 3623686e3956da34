import { fileURLToPath } from 'node:url';
import { loadStage } from '../../infra/stage.ts';
import { MemoryFifoQueue, type MemoryFifoQueueOptions } from '../../lib/adapters/memory/memory-fifo-queue.ts';
import { MemoryStateStore } from '../../lib/adapters/memory/memory-state-store.ts';
import type { RequestDetail } from '../../lib/adapters/request-observer.ts';
import { secretContractController } from '../../lib/controllers/secret-contract/secret-contract-controller.ts';
import { InfrastructureError } from '../../lib/core/errors.ts';
import { ClusterDirectory } from '../../lib/deployment/cloud/cluster-directory.ts';
import { type Comparisons, compareClusters } from '../../lib/deployment/handlers/compare-clusters.ts';
import { createInstallation, type Installation } from '../../lib/deployment/installation/installation.ts';
import { relayPart } from '../../lib/deployment/installation/relay-part.ts';
import { TABLE_SHARDS } from '../../lib/deployment/installation/resource-names.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import type { CloudCluster } from '../../lib/deployment/wiring-cloud.ts';
import { EventSender } from '../../lib/engine/event-sender.ts';
import { Registry } from '../../lib/engine/registry.ts';
import { createTimers } from '../../lib/engine/runtime/timers.ts';
import { createWorker } from '../../lib/engine/runtime/worker.ts';
import type { Logger } from '../../lib/ports/logger.ts';
import type { Metrics } from '../../lib/ports/metrics.ts';
import { MAX_RECEIVE_COUNT, type ReceivedMessage } from '../../lib/ports/queue.ts';
import type { StateStore } from '../../lib/ports/state-store.ts';
import { SeededEntropy } from '../../lib/testing/seeded-entropy.ts';
import { type ApiLatency, FleetCluster } from './fleet-cluster.ts';
import { countedLogger, countedMetrics, FleetFigures, requestName } from './fleet-figures.ts';
import { FleetWakes } from './fleet-wakes.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface FleetOptions {
  readonly clusters: number;
  /** SecretContracts of each cluster; each one has a Secret of its own. */
  readonly objects: number;
  readonly namespaces: number;
  readonly latency: ApiLatency;
  readonly seed: number;
}

const GROUP = 'secret-contract';
const PATH = '/evenkeel/prod/clusters';
const STAGE = loadStage('prod', fileURLToPath(new URL('../..', import.meta.url)));
/** The schedule of the resync function: it renews Leases, and compares what is due. */
const RESYNC_EVERY_MS = 300_000;
/** What is left of its 15 minutes when it stops. */
const RESYNC_LIMIT_MS = 890_000;
const WRITES = new Set(['UpdateItem', 'PutItem', 'DeleteItem']);

/** Whose processes ask the table, for the count of its requests. */
type User = 'passes' | 'timers' | 'relay' | 'resync';

/** The processes of a deployment from one start to the next. */
interface Run {
  readonly stop: AbortController;
  readonly registry: Registry;
}

/**
 * A stage with the settings of stages/prod.yml and all its clusters in one process: the real engine and the real controller
 * on the table and the queues in memory, on simulated time. The parts are those of the functions. Each process of a function
 * is replaced by one for all.
 */
export class Fleet {
  readonly clock = new VirtualClock();
  readonly figures = new FleetFigures(() => this.clock.now());
  readonly clusters: readonly FleetCluster[];
  readonly settings: Settings = STAGE.settings;
  readonly entropy: SeededEntropy;
  readonly table: MemoryStateStore;
  readonly #logger: Logger = countedLogger(this.figures);
  readonly #metrics: Metrics = countedMetrics(this.figures);
  readonly #lanes: { readonly events: CountedQueue; readonly resync: CountedQueue };
  readonly #wakes: FleetWakes;
  readonly #passed = new Set<string>();
  readonly #readMs: number;
  #isUp = true;
  /** Who calls the table now. A call counts its requests before it returns. */
  #user: User = 'passes';
  #starts = 0;
  #run: Run | undefined;

  constructor({ clusters, objects, namespaces, latency, seed }: FleetOptions) {
    const { clock, figures } = this;
    this.entropy = new SeededEntropy(seed);
    this.#readMs = latency.readMs;
    this.table = new MemoryStateStore({
      clock,
      shards: TABLE_SHARDS,
      onRequest: (_, operation, detail) => this.#countTable(operation, detail),
    });
    const onRequest = (_: string, operation: string) => figures.count('fifo', operation);
    const queue = () => new CountedQueue({ clock, maxReceiveCount: MAX_RECEIVE_COUNT, onRequest });
    this.#lanes = { events: queue(), resync: queue() };
    this.#wakes = new FleetWakes(clock, (_, operation) => figures.count('wakes', operation));
    this.clusters = Array.from(
      { length: clusters },
      (_, index) =>
        new FleetCluster({
          name: `cluster-${String(index).padStart(4, '0')}`,
          objects,
          namespaces,
          latency,
          clock,
          onRequest: (verb, kind) => figures.count('api', requestName(verb, kind)),
        }),
    );
  }

  /** Objects of this fleet, all clusters together. */
  get objects(): number {
    return this.clusters.reduce((sum, { contracts }) => sum + contracts.count, 0);
  }

  /** How many objects had a pass since the last start. */
  get passedObjects(): number {
    return this.#passed.size;
  }

  get backlog(): { readonly events: number; readonly resync: number } {
    return { events: this.#lanes.events.messages().length, resync: this.#lanes.resync.messages().length };
  }

  /** Ends all processes and starts new ones. @param version of the controller. */
  async start(version: string): Promise<void> {
    this.#run?.stop.abort();
    this.#starts += 1;
    this.#passed.clear();
    const controller = secretContractController({ allowMutation: false, digestKey: 'fleet-fleet-fleet-fleet' });
    const run = { stop: new AbortController(), registry: new Registry([{ ...controller, version }]) };
    this.#run = run;
    const workers = this.#directory(run, 'passes');
    const relays = this.#directory(run, 'relay');
    const compared = this.#directory(run, 'resync');
    for (const directory of [workers, relays, compared]) await directory.refresh();
    const ports = this.#ports(run.registry, 'passes');
    const { signal } = run.stop;
    const worker = createWorker(ports, run.registry, {
      timings: this.settings.timings,
      within: (event, handle) => handle(installationOf(workers, event.cluster)),
      knows: (cluster) => workers.get(cluster) !== undefined,
      concurrency: { events: this.settings.concurrency, resync: this.settings.resyncConcurrency },
    });
    const timers = createTimers(this.#ports(run.registry, 'timers'), run.registry, { timings: this.settings.timings });
    void worker.run(signal);
    void timers.runWakes(signal);
    void timers.runSweep(signal);
    for (const { opened } of relays.all()) void relayPart(opened.installation)(signal);
    void this.#compareRepeatedly(compared, signal);
  }

  /** The region of the deployment is gone: no process runs, and neither the table nor a queue answers. */
  goDown(): void {
    this.#isUp = false;
    this.#run?.stop.abort();
  }

  async comeBack(version: string): Promise<void> {
    this.#isUp = true;
    await this.start(version);
  }

  async #compareRepeatedly(directory: ClusterDirectory<CloudCluster>, signal: AbortSignal): Promise<void> {
    const comparisons: Comparisons = new Map();
    const { clock } = this;
    const runtime = { clusters: directory, clock, logger: this.#logger, metrics: this.#metrics };
    for (;;) {
      await clock.sleep(RESYNC_EVERY_MS, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        await compareClusters(runtime, comparisons, clock.monotonic() + RESYNC_LIMIT_MS);
      } catch (error) {
        this.#logger.error('a run of resync failed', error);
      }
    }
  }

  #directory({ registry }: Run, user: User): ClusterDirectory<CloudCluster> {
    const byName = new Map(this.clusters.map((cluster) => [cluster.name, cluster]));
    const open = (name: string): CloudCluster => {
      const api = byName.get(name);
      if (api === undefined) throw new Error(`there is no cluster ${name}`);
      const installation = createInstallation(
        { ...this.#ports(registry, user), api },
        {
          settings: { ...this.settings, cluster: name },
          registry,
          owner: `${user}-${this.#starts}`,
          deployment: 'fleet',
          onPass: (report) => {
            this.figures.passed(report, this.#readMs);
            if (report.end === 'committed') this.#passed.add(report.target.uid);
          },
        },
      );
      return { installation, close: async () => {} };
    };
    const parameters = this.clusters.map(({ name }) => ({ name: `${PATH}/${name}`, value: name }));
    return new ClusterDirectory<CloudCluster>({
      parameters: { list: async () => parameters },
      path: PATH,
      open: ({ value }) => open(value),
      openFaulty: open,
      close: async () => {},
      clock: this.clock,
      logger: this.#logger,
      metrics: this.#metrics,
    });
  }

  #ports(registry: Registry, user: User) {
    const isUp = () => this.#isUp;
    const { events, resync } = this.#lanes;
    const queues = { [GROUP]: { events: whileUp(events, isUp), resync: whileUp(resync, isUp) } };
    const { clock, entropy } = this;
    const asUser = () => {
      this.#user = user;
    };
    return {
      store: whileUp<StateStore>(this.table, isUp, asUser),
      queues,
      wakes: whileUp(this.#wakes, isUp),
      sender: new EventSender(registry, queues, entropy),
      clock,
      entropy,
      logger: this.#logger,
      metrics: this.#metrics,
    };
  }

  #countTable(operation: string, { refused = false, deadline = false }: RequestDetail): void {
    const isWrite = WRITES.has(operation);
    const count = (what: string) => this.figures.count('table', `${this.#user} ${what}`);
    count(isWrite ? 'write' : 'read');
    if (refused) count('refused');
    if (isWrite && deadline && !refused) count('index');
  }
}

/** Receives that return nothing are not counted: an event source polls more rarely, and a worker more often. */
class CountedQueue extends MemoryFifoQueue {
  readonly #count: (operation: string) => void;

  constructor(options: MemoryFifoQueueOptions & { readonly onRequest: (service: string, operation: string) => void }) {
    const count = (operation: string) => options.onRequest('sqs', operation);
    super({ ...options, onRequest: (_, operation) => (operation === 'ReceiveMessage' ? undefined : count(operation)) });
    this.#count = count;
  }

  override async receive(...given: Parameters<MemoryFifoQueue['receive']>): Promise<ReceivedMessage[]> {
    const messages = await super.receive(...given);
    if (messages.length > 0) this.#count('ReceiveMessage');
    return messages;
  }
}

function installationOf(directory: ClusterDirectory<CloudCluster>, cluster: string): Installation {
  const entry = directory.get(cluster);
  if (entry === undefined) throw new Error(`there is no cluster ${cluster}`);
  return entry.opened.installation;
}

/** The same, but nothing of it answers while the region is down. */
function whileUp<Part extends object>(part: Part, isUp: () => boolean, beforeCall: () => void = () => {}): Part {
  return new Proxy(part, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        if (!isUp()) return Promise.reject(new InfrastructureError('the region does not answer'));
        beforeCall();
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
}
