import { InfrastructureError, ItemError } from '../../core/errors.ts';
import type { QueueMessage } from '../../core/event.ts';
import { type LeaseTimings, latestStartMs } from '../../core/lease.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { DEDUPLICATION_MS, type DeadLetterSender, type QueueDeleter, type ReceivedMessage } from '../../ports/queue.ts';
import type { MessageFailures } from '../../ports/state-store.ts';
import { decodeEvent } from '../messages/decode-event.ts';
import { describeFailure } from '../pass/failure.ts';

export interface BatchDependencies {
  /** The controller group whose queue is read. */
  readonly group: string;
  /** Handles one event. Resolves when its message may be acknowledged. */
  readonly handle: (event: QueueMessage) => Promise<unknown>;
  /** Why an event can never be handled here (unknown kind or cluster); undefined when it can. */
  readonly refusal: (event: QueueMessage) => string | undefined;
  readonly queue: QueueDeleter & DeadLetterSender;
  /**
   * Whether the caller of `run` deletes every message that is not reported as failed, as Lambda does. If so, the runner
   * leaves the message group that ends last to the caller: no other message waits for its deletion, and that saves a
   * request.
   */
  readonly callerDeletes?: boolean;
  readonly failures: MessageFailures;
  readonly timings: LeaseTimings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * A message that failed this often because of the message itself goes to the dead-letter queue. The bound is higher
 * than the crash bound of a pass: a pass that got its lease each time is put off as crashing, keeps its state, and
 * never reaches this bound.
 */
export const FAILURE_BOUND = 5;

/** The clocks of the queue and of this process differ by far less. */
const DEDUPLICATION_MARGIN_MS = 60_000;

export interface BatchResult {
  /** Messages that must be delivered again, in the order in which they were received. */
  readonly failedMessageIds: readonly string[];
}

/**
 * Runs a batch: message groups in parallel, the messages of each one in order. The runner deletes the finished messages
 * of a message group as soon as the group is done, so that a slow group does not delay others. When a message
 * fails, the later messages of its message group fail too, so that none overtakes it.
 */
export class BatchRunner {
  readonly #deps: BatchDependencies;

  constructor(deps: BatchDependencies) {
    this.#deps = deps;
  }

  /**
   * @param deadlineMs when the function itself ends, in monotonic ms: a message that could not finish before is not
   * started.
   * @param draining after it aborts, no further message is started.
   */
  async run(
    messages: readonly ReceivedMessage[],
    deadlineMs = Number.POSITIVE_INFINITY,
    draining?: AbortSignal,
  ): Promise<BatchResult> {
    const messageGroups = Map.groupBy(messages, ({ messageGroupId }) => messageGroupId);
    const running = { count: messageGroups.size };
    const failures = await Promise.all(
      [...messageGroups.values()].map((group) => this.#runMessageGroup(group, running, deadlineMs, draining)),
    );
    return { failedMessageIds: failures.flat() };
  }

  async #runMessageGroup(
    messages: readonly ReceivedMessage[],
    running: { count: number },
    deadlineMs: number,
    draining: AbortSignal | undefined,
  ): Promise<string[]> {
    let handled = 0;
    for (const message of messages) {
      if (draining?.aborted || !this.#mayStart(message, deadlineMs) || !(await this.#handleMessage(message))) break;
      handled += 1;
    }
    const finished = messages.slice(0, handled);
    running.count -= 1;
    const isLeft = running.count === 0 && this.#deps.callerDeletes === true;
    if (!isLeft) await this.#delete(finished);
    return messages.slice(handled).map(({ messageId }) => messageId);
  }

  /**
   * A message that is too old could be delivered again while its pass runs. A pass that starts too late would not
   * finish.
   */
  #mayStart(message: ReceivedMessage, deadlineMs: number): boolean {
    const { timings, clock } = this.#deps;
    const nowMs = clock.monotonic();
    return nowMs <= latestStartMs(timings, message.receivedAtMs) && nowMs + timings.passLimitMs <= deadlineMs;
  }

  async #handleMessage(message: ReceivedMessage): Promise<boolean> {
    const { handle, refusal } = this.#deps;
    const decoded = decodeEvent(message.body);
    if (!decoded.ok) return await this.#bury(message, decoded.reason, decoded.detail);
    const refused = refusal(decoded.event);
    if (refused !== undefined) return await this.#giveUp(message, decoded.event, 'Unknown', refused);
    try {
      await handle(decoded.event);
      return true;
    } catch (error) {
      return await this.#failed(message, decoded.event, error);
    }
  }

  /**
   * A table or a queue that does not answer is no fault of the message. Any other error is a fault of this
   * message, or of our code with it. The failure is counted in the table, so that the count survives the process.
   * @returns whether the message is handled.
   */
  async #failed(message: ReceivedMessage, event: QueueMessage, error: unknown): Promise<boolean> {
    const { failures, clock, logger } = this.#deps;
    const { messageId, receiveCount } = message;
    if (error instanceof InfrastructureError && !(error instanceof ItemError)) {
      logger.error('the table or the queue did not answer: the message will be delivered again', error, {
        messageId,
        receiveCount,
      });
      return false;
    }
    let count: number;
    try {
      count = await failures.countFailure(`${messageId}@${message.sentAtMs}`, clock.now());
    } catch (unwritten) {
      logger.error('a failure of a message could not be counted: it will be delivered again', unwritten, { messageId });
      return false;
    }
    const fields = { messageId, receiveCount, failures: count };
    if (count < FAILURE_BOUND) {
      logger.error('a message could not be handled: it will be delivered again', error, fields);
      return false;
    }
    logger.error('a message could not be handled, too often', error, fields);
    const { reason, message: what } = describeFailure(error);
    return await this.#giveUp(message, event, 'Failed', `${count} times, last with ${reason}: ${what}`);
  }

  /**
   * Until its round starts, the message of a round has the same id as the message of the next change. While the queue
   * remembers the id, it would drop that message as a duplicate of the dead one, and no reader would get an event
   * (R-5.17).
   */
  async #giveUp(message: ReceivedMessage, { cause }: QueueMessage, reason: string, detail: string): Promise<boolean> {
    const { clock, logger } = this.#deps;
    const ageMs = clock.now() - message.sentAtMs;
    if (cause !== 'fanout' || ageMs > DEDUPLICATION_MS + DEDUPLICATION_MARGIN_MS) {
      return await this.#bury(message, reason, detail);
    }
    const { messageId } = message;
    logger.warn('the queue still remembers a message that cannot be handled: it will be delivered again', {
      messageId,
      reason,
      detail,
    });
    return false;
  }

  /**
   * Moves a message that can never be handled to the dead-letter queue, at once. Its message group continues.
   */
  async #bury(message: ReceivedMessage, reason: string, detail: string): Promise<boolean> {
    const { queue, group, logger, metrics } = this.#deps;
    try {
      await queue.sendDead({
        body: message.body,
        messageGroupId: message.messageGroupId,
        messageId: message.messageId,
        reason: `${reason}: ${detail}`,
      });
    } catch (error) {
      logger.error('the dead-letter queue did not take a message: it will be delivered again', error, {
        messageId: message.messageId,
      });
      return false;
    }
    logger.warn('a message can never be handled: it is in the dead-letter queue', {
      messageId: message.messageId,
      reason,
      detail,
    });
    metrics.record('DeadLetter', 1, { Group: group, Reason: reason });
    return true;
  }

  async #delete(finished: readonly ReceivedMessage[]): Promise<void> {
    if (finished.length === 0) return;
    const handles = finished.map(({ receiptHandle }) => receiptHandle);
    try {
      const kept = await this.#deps.queue.delete(handles);
      if (kept.length > 0)
        this.#deps.logger.warn(
          'handled messages were not deleted: they are delivered again and will be already observed',
          {
            kept: kept.length,
          },
        );
    } catch (error) {
      this.#deps.logger.error(
        'handled messages were not deleted: they are delivered again and will be already observed',
        error,
        {
          kept: handles.length,
        },
      );
    }
  }
}
