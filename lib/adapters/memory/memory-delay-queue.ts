import type { Clock } from '../../ports/clock.ts';
import type { DelayQueue, QueueReceiver, ReceivedMessage } from '../../ports/queue.ts';
import { checkDelaySeconds } from '../delay-seconds.ts';
import type { OnRequest } from '../request-observer.ts';
import { Arrivals, longPoll } from './long-poll.ts';
import { type DeadLetter, messageIdOf, receiptHandle, receiveMessage, type StoredMessage } from './stored-message.ts';

export interface MemoryDelayQueueOptions {
  readonly clock: Clock;
  /** After this number of receives, a message becomes a dead letter. */
  readonly maxReceiveCount?: number;
  readonly onRequest?: OnRequest;
}

/**
 * An SQS standard queue in memory. It delivers messages in the order in which they become visible, which SQS does not
 * guarantee.
 */
export class MemoryDelayQueue implements DelayQueue {
  readonly #clock: Clock;
  readonly #maxReceiveCount: number;
  readonly #onRequest: OnRequest;
  readonly #arrivals = new Arrivals();
  readonly #messages = new Map<string, StoredMessage>();
  readonly #dead: DeadLetter[] = [];
  #sent = 0;

  constructor({ clock, maxReceiveCount = Number.POSITIVE_INFINITY, onRequest = () => {} }: MemoryDelayQueueOptions) {
    this.#clock = clock;
    this.#maxReceiveCount = maxReceiveCount;
    this.#onRequest = onRequest;
  }

  async sendDelayed(
    { body, delaySeconds }: { body: string; delaySeconds: number },
    signal?: AbortSignal,
  ): Promise<void> {
    signal?.throwIfAborted();
    this.#onRequest('sqs', 'SendMessage', {});
    const nowMs = this.#clock.monotonic();
    this.#sent += 1;
    const messageId = `message-${this.#sent}`;
    const visibleAtMs = nowMs + checkDelaySeconds(delaySeconds) * 1_000;
    this.#messages.set(messageId, {
      messageId,
      body,
      messageGroupId: '',
      sentAtMs: this.#clock.now(),
      visibleAtMs,
      receiveCount: 0,
    });
    this.#arrivals.announce();
  }

  receive(options: Parameters<QueueReceiver['receive']>[0], signal?: AbortSignal): Promise<ReceivedMessage[]> {
    const receivedAtMs = this.#clock.monotonic();
    const poll = {
      clock: this.#clock,
      arrivals: this.#arrivals,
      take: () => this.#take(options, receivedAtMs),
      nextVisibleAtMs: () => this.nextVisibleAtMs(),
    };
    this.#onRequest('sqs', 'ReceiveMessage', {});
    return longPoll(poll, options.waitSeconds, signal);
  }

  /** Accepts the handle of an earlier receive, but deletes nothing for it. */
  async delete(receiptHandles: readonly string[], signal?: AbortSignal): Promise<string[]> {
    signal?.throwIfAborted();
    for (let sent = 0; sent < receiptHandles.length; sent += 10) this.#onRequest('sqs', 'DeleteMessageBatch', {});
    for (const handle of receiptHandles) {
      const message = this.#messages.get(messageIdOf(handle));
      if (message !== undefined && receiptHandle(message) === handle) this.#messages.delete(message.messageId);
    }
    return [];
  }

  /** The messages of the dead-letter queue. */
  deadLetters(): readonly DeadLetter[] {
    return this.#dead;
  }

  /** All messages of the queue, also delayed ones and those in flight, in the order in which they were sent. */
  messages(): readonly Readonly<StoredMessage>[] {
    return [...this.#messages.values()];
  }

  /** When the next delayed or in-flight message becomes visible, by the monotonic clock. Queues use true time. */
  nextVisibleAtMs(): number | undefined {
    const nowMs = this.#clock.monotonic();
    const times = [...this.#messages.values()].map((message) => message.visibleAtMs).filter((atMs) => atMs > nowMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #take(options: Parameters<QueueReceiver['receive']>[0], receivedAtMs: number): ReceivedMessage[] {
    const { maxMessages, visibilitySeconds } = options;
    const hiddenUntilMs = this.#clock.monotonic() + visibilitySeconds * 1_000;
    const taken: ReceivedMessage[] = [];
    const visible = [...this.#messages.values()].filter((message) => message.visibleAtMs <= this.#clock.monotonic());
    for (const message of visible.sort((a, b) => a.visibleAtMs - b.visibleAtMs)) {
      if (taken.length >= maxMessages) break;
      if (message.receiveCount < this.#maxReceiveCount) {
        taken.push(receiveMessage(message, hiddenUntilMs, receivedAtMs));
        continue;
      }
      const { messageId, body, messageGroupId } = message;
      this.#dead.push({ messageId, body, messageGroupId });
      this.#messages.delete(messageId);
    }
    return taken;
  }
}
