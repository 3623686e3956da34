import { Arrivals, longPoll } from '../../lib/adapters/memory/long-poll.ts';
import {
  messageIdOf,
  receiptHandle,
  receiveMessage,
  type StoredMessage,
} from '../../lib/adapters/memory/stored-message.ts';
import type { OnRequest } from '../../lib/adapters/request-observer.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { DelayQueue, QueueReceiver, ReceivedMessage } from '../../lib/ports/queue.ts';
import { type Timed, TimerQueue } from '../../lib/testing/simulation/timer-queue.ts';

interface Pending extends Timed {
  readonly message: StoredMessage;
}

/**
 * A standard queue with delays, as `MemoryDelayQueue`, for very many messages: a receive looks only at those that are due.
 * It has no dead-letter queue, because a fleet of wakes that fail is not what is simulated.
 */
export class FleetWakes implements DelayQueue {
  readonly #clock: Clock;
  readonly #onRequest: OnRequest;
  readonly #arrivals = new Arrivals();
  readonly #pending = new TimerQueue<Pending>();
  readonly #messages = new Map<string, StoredMessage>();
  #sent = 0;

  constructor(clock: Clock, onRequest: OnRequest) {
    this.#clock = clock;
    this.#onRequest = onRequest;
  }

  /** Messages that were not deleted, delayed or not. */
  get size(): number {
    return this.#messages.size;
  }

  async sendDelayed({ body, delaySeconds }: { body: string; delaySeconds: number }): Promise<void> {
    this.#onRequest('sqs', 'SendMessage', {});
    this.#sent += 1;
    const message: StoredMessage = {
      messageId: `wake-${this.#sent}`,
      body,
      messageGroupId: '',
      sentAtMs: this.#clock.now(),
      visibleAtMs: this.#clock.monotonic() + delaySeconds * 1_000,
      receiveCount: 0,
    };
    this.#messages.set(message.messageId, message);
    this.#put(message);
    this.#arrivals.announce();
  }

  receive(options: Parameters<QueueReceiver['receive']>[0], signal?: AbortSignal): Promise<ReceivedMessage[]> {
    const receivedAtMs = this.#clock.monotonic();
    const poll = {
      clock: this.#clock,
      arrivals: this.#arrivals,
      take: () => this.#take(options, receivedAtMs),
      nextVisibleAtMs: () => this.#pending.peek()?.dueMs,
    };
    return longPoll(poll, options.waitSeconds, signal);
  }

  async delete(receiptHandles: readonly string[]): Promise<string[]> {
    this.#onRequest('sqs', 'DeleteMessageBatch', {});
    for (const handle of receiptHandles) {
      const message = this.#messages.get(messageIdOf(handle));
      if (message !== undefined && receiptHandle(message) === handle) this.#messages.delete(message.messageId);
    }
    return [];
  }

  #take(
    { maxMessages, visibilitySeconds }: Parameters<QueueReceiver['receive']>[0],
    receivedAtMs: number,
  ): ReceivedMessage[] {
    const nowMs = this.#clock.monotonic();
    const taken: ReceivedMessage[] = [];
    while (taken.length < maxMessages) {
      const message = this.#pending.takeDue(nowMs)?.message;
      if (message === undefined) break;
      if (!this.#messages.has(message.messageId)) continue;
      taken.push(receiveMessage(message, nowMs + visibilitySeconds * 1_000, receivedAtMs));
      // It is visible again after this time, unless it is deleted before.
      this.#put(message);
    }
    if (taken.length > 0) this.#onRequest('sqs', 'ReceiveMessage', {});
    return taken;
  }

  #put(message: StoredMessage): void {
    this.#pending.push({ dueMs: message.visibleAtMs, order: this.#sent, gone: false, message });
  }
}
