import type { LeaseTimings } from '../../core/lease.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { QueueReceiver, ReceivedMessage } from '../../ports/queue.ts';
import { LinkedAbort } from '../linked-abort.ts';

export interface QueueWorkerOptions {
  /** How many messages are in work at once. */
  readonly concurrency: number;
  readonly timings: LeaseTimings;
  readonly waitSeconds: number;
}

const LARGEST_RECEIVE = 10;
/** How long free places wait for more free places, so that one request fills several. */
const GATHER_MS = 10;
const AFTER_ERROR_MS = 1_000;
const LONGEST_AFTER_ERROR_MS = 30_000;

/**
 * Keeps up to a number of messages of a queue in work, where no Lambda event source does it. The queue itself makes sure that
 * a message group has one batch in work at a time.
 */
export class QueueWorker {
  readonly #queue: QueueReceiver;
  readonly #handle: (messages: readonly ReceivedMessage[]) => Promise<unknown>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #options: QueueWorkerOptions;
  readonly #running = new Set<Promise<void>>();
  #inWork = 0;
  /** The last receive returned as many messages as it asked for, so there are probably more. */
  #hasMore = false;
  #wakeUp: () => void = () => undefined;

  constructor(
    queue: QueueReceiver,
    handle: (messages: readonly ReceivedMessage[]) => Promise<unknown>,
    clock: Clock,
    logger: Logger,
    options: QueueWorkerOptions,
  ) {
    this.#queue = queue;
    this.#handle = handle;
    this.#clock = clock;
    this.#logger = logger;
    this.#options = options;
  }

  /** Receives until the signal aborts, then waits for the messages in work. */
  async run(signal: AbortSignal): Promise<void> {
    let errors = 0;
    signal.addEventListener('abort', () => this.#wakeUp(), { once: true });
    while (!signal.aborted) {
      const free = await this.#whenFree(signal);
      if (signal.aborted) break;
      try {
        const maxMessages = Math.min(LARGEST_RECEIVE, free);
        const messages = await this.#queue.receive(
          {
            maxMessages,
            waitSeconds: this.#options.waitSeconds,
            visibilitySeconds: Math.ceil(this.#options.timings.visibilityMs / 1_000),
          },
          signal,
        );
        errors = 0;
        this.#hasMore = messages.length >= maxMessages;
        // Each message group is separate work: a slow one does not occupy the places of those that were received with it
        //
        for (const group of Map.groupBy(messages, ({ messageGroupId }) => messageGroupId).values()) this.#start(group);
      } catch (error) {
        if (signal.aborted) break;
        errors += 1;
        this.#logger.error('the queue could not be read; it is tried again', error, { errors });
        await this.#clock
          .sleep(Math.min(AFTER_ERROR_MS * 2 ** (errors - 1), LONGEST_AFTER_ERROR_MS), signal)
          .catch(() => undefined);
      }
    }
    await Promise.all(this.#running);
  }

  #start(messages: readonly ReceivedMessage[]): void {
    this.#inWork += messages.length;
    const work = this.#handle(messages)
      .catch((error: unknown) =>
        this.#logger.error('a batch failed as a whole: its messages will be delivered again', error),
      )
      .then(() => {
        this.#inWork -= messages.length;
        this.#running.delete(work);
        this.#wakeUp();
      });
    this.#running.add(work);
  }

  /**
   * When the queue has more messages than there are free places, one request fills several places. Otherwise each message
   * would take a request of its own while passes end one by one. An idle worker sends a request at once.
   */
  async #whenFree(signal: AbortSignal): Promise<number> {
    await this.#until(() => this.#free > 0, signal);
    const worthwhile = Math.min(LARGEST_RECEIVE, Math.ceil(this.#options.concurrency / 2));
    if (!this.#hasMore || this.#free >= worthwhile) return this.#free;
    using gathering = new LinkedAbort(signal);
    const gathered = this.#clock.sleep(GATHER_MS, gathering.signal).catch(() => undefined);
    await Promise.race([gathered, this.#until(() => this.#free >= worthwhile, gathering.signal)]);
    gathering.abort();
    return this.#free;
  }

  get #free(): number {
    return this.#options.concurrency - this.#inWork;
  }

  async #until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    while (!condition() && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wakeUp = resolve;
      });
    }
  }
}
