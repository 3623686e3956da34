import type { QueueMessage } from '../../core/event.ts';
import { type LeaseTimings, latestStartMs } from '../../core/lease.ts';
import type { FifoQueue, ReceivedMessage } from '../../ports/queue.ts';
import { BatchRunner } from '../batch/batch-runner.ts';
import { CoalescingDeleter } from '../batch/coalescing-deleter.ts';
import type { Lane } from '../event-sender.ts';
import type { Registry } from '../registry.ts';
import { QueueWorker } from '../worker/queue-worker.ts';
import type { Engine, EnginePorts } from './engine.ts';
import { createEventHandler, type EventHandler } from './event-handler.ts';

export type WorkerPorts = Pick<EnginePorts, 'store' | 'queues' | 'clock' | 'logger' | 'metrics'>;

export interface WorkerOptions {
  readonly timings: LeaseTimings;
  /**
   * Finds the engine of an event's cluster and handles the event with it. Rejects when the message must be delivered
   * again.
   */
  readonly within: (event: QueueMessage, handle: (engine: Engine) => Promise<unknown>) => Promise<unknown>;
  /** Whether this worker can handle messages of the cluster at all. Others go to the dead-letter queue. */
  readonly knows: (cluster: string) => boolean;
  /** The number of messages of a controller group that run in parallel, by lane; only for `run`. */
  readonly concurrency?: Readonly<Record<Lane, number>>;
  /** Whether the caller that runs a batch deletes every message that is not reported as failed, as Lambda does. */
  readonly callerDeletes?: boolean;
  /** Called with the messages that start together. */
  readonly onBatch?: (messages: readonly ReceivedMessage[]) => void;
}

export const DEFAULT_CONCURRENCY: Readonly<Record<Lane, number>> = { events: 16, resync: 4 };

export interface Worker {
  /** Runs messages that another part received from a lane of a controller group. */
  batchRunner(group: string, lane: Lane): Pick<BatchRunner, 'run'>;
  /**
   * Handles the messages of all groups. When the signal aborts, it receives and starts no more. It finishes the running
   * passes. Messages that did not start become visible again at once.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** The longest wait of a receive in SQS. */
const LONGEST_WAIT_SECONDS = 20;

/**
 * How long a receive waits for messages. A message counts as received when the receive was sent, because the queue may have
 * begun its visibility time-out at any moment after that. A message that comes at the end of the wait must still be young
 * enough to start.
 */
export function receiveWaitSeconds(timings: LeaseTimings): number {
  const startableMs = latestStartMs(timings, 0);
  return Math.max(1, Math.min(LONGEST_WAIT_SECONDS, Math.floor(startableMs / 2_000)));
}

/** Handles the events of controller groups: passes, polls and rounds. */
export function createWorker(ports: WorkerPorts, registry: Registry, options: WorkerOptions): Worker {
  const handlers = new Handlers();
  const runner = (group: string, queue: FifoQueue) => batchRunner(ports, registry, options, group, queue, handlers);
  return {
    batchRunner: (group, lane) => {
      const queue = ports.queues[group]?.[lane];
      if (queue === undefined) throw new Error(`there is no queue of group ${group} and lane ${lane}`);
      return runner(group, queue);
    },
    run: async (signal) => {
      const loops = Object.entries(ports.queues).flatMap(([group, lanes]) =>
        Object.entries(lanes).map(([lane, queue]) =>
          runLane(ports, options, { group, lane: lane as Lane, queue, batch: runner(group, queue) }, signal),
        ),
      );
      await Promise.all(loops);
    },
  };
}

function batchRunner(
  { store, clock, logger, metrics }: WorkerPorts,
  registry: Registry,
  { timings, within, knows, callerDeletes = false }: WorkerOptions,
  group: string,
  queue: FifoQueue,
  handlers: Handlers,
): BatchRunner {
  const deleter = new CoalescingDeleter(queue);
  return new BatchRunner({
    group,
    handle: (event) => within(event, (engine) => handlers.of(engine, group).handle(event)),
    refusal: (event) => registry.refusal(group, event, knows),
    queue: { delete: (handles) => deleter.delete(handles), sendDead: (letter) => queue.sendDead(letter) },
    callerDeletes,
    failures: store,
    timings,
    clock,
    logger: logger.with({ group }),
    metrics,
  });
}

function runLane(
  { clock, logger }: WorkerPorts,
  { timings, concurrency = DEFAULT_CONCURRENCY, onBatch }: WorkerOptions,
  { group, lane, queue, batch }: { group: string; lane: Lane; queue: FifoQueue; batch: BatchRunner },
  signal: AbortSignal,
): Promise<void> {
  const work = async (messages: readonly ReceivedMessage[]) => {
    onBatch?.(messages);
    const { failedMessageIds } = await batch.run(messages, undefined, signal);
    if (!signal.aborted || failedMessageIds.length === 0) return;
    const failed = new Set(failedMessageIds);
    const handles = messages.filter(({ messageId }) => failed.has(messageId)).map(({ receiptHandle }) => receiptHandle);
    await queue.changeVisibility(handles, 0);
  };
  return new QueueWorker(queue, work, clock, logger.with({ group, lane }), {
    concurrency: concurrency[lane],
    timings,
    waitSeconds: receiveWaitSeconds(timings),
  }).run(signal);
}

/** One handler for each engine and group, because it remembers values that it need not read again. */
class Handlers {
  readonly #made = new WeakMap<Engine, Map<string, EventHandler>>();

  of(engine: Engine, group: string): EventHandler {
    const ofEngine = this.#made.get(engine) ?? new Map<string, EventHandler>();
    this.#made.set(engine, ofEngine);
    const handler = ofEngine.get(group) ?? createEventHandler(engine, group);
    ofEngine.set(group, handler);
    return handler;
  }
}
