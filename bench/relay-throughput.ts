import { CONCURRENT_BATCHES } from '../lib/adapters/aws/sqs-fifo-queue.ts';
import { MemoryFifoQueue } from '../lib/adapters/memory/memory-fifo-queue.ts';
import { MemoryStateStore } from '../lib/adapters/memory/memory-state-store.ts';
import { MAX_BATCH_ENTRIES } from '../lib/adapters/send-batches.ts';
import { SecretContracts } from '../lib/controllers/secret-contract/kinds.ts';
import { secretContractController } from '../lib/controllers/secret-contract/secret-contract-controller.ts';
import { objectKey } from '../lib/core/observation.ts';
import { apiVersion, kindId, type ResourceType, Secrets } from '../lib/core/resource-type.ts';
import { TABLE_SHARDS } from '../lib/deployment/installation/resource-names.ts';
import { EventSender } from '../lib/engine/event-sender.ts';
import { Registry } from '../lib/engine/registry.ts';
import { createRelay } from '../lib/engine/runtime/relay.ts';
import type { Clock } from '../lib/ports/clock.ts';
import { ApiError, type ClusterApi, type WatchEvent, type WatchOptions } from '../lib/ports/cluster-api.ts';
import type { StateStore } from '../lib/ports/state-store.ts';
import { SilentLogger } from '../lib/testing/recorders.ts';
import { SeededEntropy } from '../lib/testing/seeded-entropy.ts';
import { VirtualClock } from './fleet/virtual-clock.ts';

export interface Replay {
  /** Whose changes the watch shows: of reconciled objects, or of objects that passes read. */
  readonly of: 'contracts' | 'secrets';
  /** Of Secrets: how many objects read each one. */
  readonly readers: number;
  /** Each change is of an object of its own. */
  readonly changes: number;
  /** The changes go round these namespaces. */
  readonly namespaces: number;
  /** How long the table and the queue take for an answer, ms. 0 for no model of the network. */
  readonly tableMs: number;
  readonly queueMs: number;
}

/** Connections to AWS that a function has: lib/deployment/wiring-cloud.ts. */
const SOCKETS = 64;

export interface ReplayFigures {
  /** Of simulated time, from the first change until the last checkpoint is written. */
  readonly seconds: number;
  /** Of CPU time of this process, for the same; with the table and the queues in memory. */
  readonly cpuSeconds: number;
  readonly tableRequests: number;
  readonly queueRequests: number;
  /** Messages that the queues accepted, by lane. */
  readonly sent: { readonly events: number; readonly resync: number };
}

const CLUSTER = 'replayed';
const GROUP = 'secret-contract';
const FIRST_VERSION = 10;
/** A replay that takes longer does not end. */
const LONGEST_MS = 3_600_000;

/** What the watch shows, and how far. */
class ReplayedApi implements ClusterApi {
  startedMs: number | undefined;
  readonly #replay: Replay;
  readonly #clock: Clock;
  readonly #type: ResourceType;

  constructor(replay: Replay, clock: Clock) {
    this.#replay = replay;
    this.#clock = clock;
    this.#type = typeOf(replay);
  }

  async *watch(type: ResourceType, { signal }: WatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
    if (type !== this.#type || this.startedMs !== undefined) {
      await this.#clock.sleep(LONGEST_MS, signal);
      return;
    }
    this.startedMs = this.#clock.now();
    for (let index = 0; index < this.#replay.changes; index += 1) {
      const metadata = { ...nameOf(index, this.#replay), uid: `uid-${index}`, resourceVersion: versionOf(index) };
      yield { type: 'MODIFIED', object: { apiVersion: apiVersion(type), kind: type.kind, metadata } };
    }
  }

  async list() {
    return { items: [], resourceVersion: String(FIRST_VERSION) };
  }

  get = () => notThere();
  create = () => notThere();
  patch = () => notThere();
  delete = () => notThere();
}

async function notThere(): Promise<never> {
  throw new ApiError('NotFound', 'the replayed cluster has no such object', { status: 404 });
}

function nameOf(index: number, { namespaces }: Replay) {
  return { namespace: `team-${index % namespaces}`, name: `object-${index}` };
}

function typeOf({ of }: Replay): ResourceType {
  return of === 'contracts' ? SecretContracts : Secrets;
}

function versionOf(index: number): string {
  return String(FIRST_VERSION + 1 + index);
}

/**
 * One relay works through a recorded watch as fast as it can. The relay is the real one; the API server sends the next change
 * as soon as the relay takes it.
 */
export async function replayChanges(replay: Replay): Promise<ReplayFigures> {
  const clock = new VirtualClock();
  const requests = { dynamodb: 0, sqs: 0 };
  const onRequest = (service: 'dynamodb' | 'sqs') => {
    requests[service] += 1;
  };
  const table = new MemoryStateStore({ clock, shards: TABLE_SHARDS, onRequest });
  await prepare(table, replay);
  requests.dynamodb = 0;
  const lanes = {
    events: new MemoryFifoQueue({ clock, onRequest }),
    resync: new MemoryFifoQueue({ clock, onRequest }),
  };
  const registry = new Registry([
    secretContractController({ allowMutation: false, digestKey: 'replay-replay-replay' }),
  ]);
  const sending = (given: readonly unknown[]) => clock.sleep(sendMs(given, replay.queueMs));
  const slow = {
    events: delayed(lanes.events, sending),
    resync: delayed(lanes.resync, sending),
  };
  const sockets = new Sockets(clock, replay.tableMs);
  const done = Promise.withResolvers<void>();
  const last = versionOf(replay.changes - 1);
  const store = delayed<StateStore>(
    table,
    () => sockets.request(),
    (method, given) => {
      if (method === 'saveCheckpoint' && (given[3] as { resourceVersion: string }).resourceVersion === last)
        done.resolve();
    },
  );
  const api = new ReplayedApi(replay, clock);
  const entropy = new SeededEntropy(1);
  const sender = new EventSender(registry, { [GROUP]: slow }, entropy);
  const ports = { api, store, sender, clock, entropy, logger: new SilentLogger(), metrics: { record: () => {} } };
  const stop = new AbortController();
  const relay = createRelay(ports, registry, { cluster: CLUSTER, scope: {} }).run(stop.signal);

  let isDone = false;
  void done.promise.then(() => {
    isDone = true;
  });
  const before = process.cpuUsage();
  const endMs = clock.now() + LONGEST_MS;
  let endedMs = endMs;
  while (!isDone && clock.now() < endMs) {
    await clock.runUntil(clock.now() + 1);
    endedMs = clock.now();
  }
  const cpu = process.cpuUsage(before);
  const figures = {
    seconds: (endedMs - (api.startedMs ?? 0)) / 1_000,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    tableRequests: requests.dynamodb,
    queueRequests: requests.sqs,
    sent: { events: lanes.events.messages().length, resync: lanes.resync.messages().length },
  };
  stop.abort();
  await clock.runUntil(clock.now() + 60_000);
  await relay;
  return figures;
}

/** What a table and a queue in the same region take for an answer, as this project assumes it. */
export const NETWORK = { tableMs: 5, queueMs: 10 };

/** The changes that a relay may have to send. */
export const REPLAYED = {
  'reconciled objects': { of: 'contracts', readers: 0, namespaces: 100 },
  'objects that one object reads': { of: 'secrets', readers: 1, namespaces: 100 },
  'objects that nobody reads': { of: 'secrets', readers: 0, namespaces: 100 },
  'reconciled objects of one namespace': { of: 'contracts', readers: 0, namespaces: 1 },
} as const satisfies Record<string, Pick<Replay, 'of' | 'readers' | 'namespaces'>>;

/** Changes a second, by what changes: limited by the answers of table and queue, and by the CPU alone. */
export async function measureThroughput(changes: number): Promise<Record<string, { network: number; cpu: number }>> {
  const rates: Record<string, { network: number; cpu: number }> = {};
  for (const [what, replay] of Object.entries(REPLAYED)) {
    const { seconds } = await replayChanges({ ...replay, changes, ...NETWORK });
    const { cpuSeconds } = await replayChanges({ ...replay, changes, tableMs: 0, queueMs: 0 });
    rates[what] = { network: Math.round(changes / seconds), cpu: Math.round(changes / cpuSeconds) };
  }
  return rates;
}

/** What an earlier relay and earlier passes left: the checkpoint from which the watch goes on, and an edge of each reader. */
async function prepare(table: MemoryStateStore, replay: Replay): Promise<void> {
  const { incarnation } = await table.readCluster(CLUSTER);
  const checkpoint = { incarnation, resourceVersion: String(FIRST_VERSION), heartbeatMs: 0 };
  await table.saveCheckpoint(CLUSTER, kindId(typeOf(replay)), 0, checkpoint);
  for (let index = 0; index < replay.changes; index += 1) {
    const { namespace, name } = nameOf(index, replay);
    for (let reader = 0; reader < replay.readers; reader += 1) {
      await table.putEdge({
        cluster: CLUSTER,
        key: objectKey(kindId(Secrets), { namespace, name }),
        reader: {
          cluster: CLUSTER,
          kind: kindId(SecretContracts),
          uid: `reader-${index}-${reader}`,
          namespace,
          name: `reader-${index}-${reader}`,
        },
        epoch: 1,
      });
    }
  }
}

/** How long a call of a queue takes: a send of many messages is several requests, so many at once. */
function sendMs([messages]: readonly unknown[], queueMs: number): number {
  const batches = Array.isArray(messages) ? Math.ceil(messages.length / MAX_BATCH_ENTRIES) : 1;
  return queueMs * Math.ceil(batches / CONCURRENT_BATCHES);
}

/** So many requests at once; the others wait for a connection. */
class Sockets {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #waiting: (() => void)[] = [];
  #free = SOCKETS;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  async request(): Promise<void> {
    if (this.#ms === 0) return;
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    await this.#clock.sleep(this.#ms);
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** The same, but each call takes its time first. @param onCall called when a call has ended. */
function delayed<Part extends object>(
  part: Part,
  takeTime: (given: readonly unknown[]) => Promise<void>,
  onCall: (method: string, given: readonly unknown[]) => void = () => {},
): Part {
  return new Proxy(part, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        await takeTime(given);
        const answer: unknown = await Reflect.apply(value, target, given);
        onCall(String(property), given);
        return answer;
      };
    },
  });
}
