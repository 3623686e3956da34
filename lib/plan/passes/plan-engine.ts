import { MemoryDelayQueue } from '../../adapters/memory/memory-delay-queue.ts';
import { MemoryFifoQueue } from '../../adapters/memory/memory-fifo-queue.ts';
import { MemoryStateStore } from '../../adapters/memory/memory-state-store.ts';
import { isRequest, type QueueMessage } from '../../core/event.ts';
import type { AuthorError } from '../../engine/author/author-error.ts';
import type { Lane } from '../../engine/event-sender.ts';
import type { PassOptions } from '../../engine/pass/pass.ts';
import type { PassReport } from '../../engine/pass/pass-report.ts';
import type { Registry } from '../../engine/registry.ts';
import { createEngine, type Engine, type EngineQueues } from '../../engine/runtime/engine.ts';
import { createResync, type Resync } from '../../engine/runtime/resync.ts';
import { createTimers, type Timers } from '../../engine/runtime/timers.ts';
import { createWorker, type Worker } from '../../engine/runtime/worker.ts';
import type { Clock, Entropy } from '../../ports/clock.ts';
import type { ClusterApi } from '../../ports/cluster-api.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { MAX_RECEIVE_COUNT } from '../../ports/queue.ts';
import type { StrayErrors } from '../../ports/stray-errors.ts';

/** The interval of resync, in virtual time. */
const RESYNC_MS = 300_000;
const OWNER = 'plan';

export interface PlanEngineParts {
  readonly cluster: string;
  readonly registry: Registry;
  /** The fork. */
  readonly api: ClusterApi;
  /** Virtual time. */
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly strays: StrayErrors;
  readonly pass: PassOptions;
  /** Runs one message within the limits of the plan. */
  readonly within: (message: QueueMessage, handle: () => Promise<unknown>) => Promise<unknown>;
  readonly onPass: (report: PassReport) => void;
  readonly onAuthorError: (error: AuthorError) => void;
}

/** The engine of one cluster, with a table and queues in memory. */
export interface PlanEngine {
  readonly store: MemoryStateStore;
  readonly queues: EngineQueues;
  readonly wakes: MemoryDelayQueue;
  readonly engine: Engine;
  readonly worker: Worker;
  readonly timers: Timers;
  readonly resync: Resync;
}

/**
 * Assembles the engine with the same function as every installation, so that a plan runs controllers in the same way.
 */
export function createPlanEngine(parts: PlanEngineParts): PlanEngine {
  const { cluster, registry, clock, pass, within, onPass, onAuthorError } = parts;
  const store = new MemoryStateStore({ clock });
  const queue = () => new MemoryFifoQueue({ clock, maxReceiveCount: MAX_RECEIVE_COUNT });
  const queues: EngineQueues = Object.fromEntries(
    registry.groups().map((group) => [group, { events: queue(), resync: queue() } satisfies Record<Lane, unknown>]),
  );
  const wakes = new MemoryDelayQueue({ clock, maxReceiveCount: MAX_RECEIVE_COUNT });
  // No deployment: a plan takes no Lease, and writes only to its own copy.
  const engine = createEngine({ ...parts, store, queues, wakes }, registry, {
    cluster,
    installation: OWNER,
    owner: OWNER,
    pass,
    onPass,
    onAuthorError,
  });
  const { timings } = pass;
  const worker = createWorker({ ...engine }, registry, {
    timings,
    within: (message, handle) => within(message, () => handle(engine)),
    knows: (named) => named === cluster,
  });
  return {
    store,
    queues,
    wakes,
    engine,
    worker,
    timers: createTimers(engine, registry, { timings }),
    resync: createResync(engine, RESYNC_MS),
  };
}

/** The object that a message asks a pass for; undefined for polls and rounds. */
export function targetOf(message: QueueMessage) {
  return isRequest(message) ? undefined : message;
}
