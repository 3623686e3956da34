import type { Clock } from '../../ports/clock.ts';
import {
  DEDUPLICATION_MS,
  type FifoQueue,
  type OutgoingMessage,
  type QueueReceiver,
  type ReceivedMessage,
  type SendResult,
} from '../../ports/queue.ts';
import type { OnRequest } from '../request-observer.ts';
import { sendBatches, sendRounds } from '../send-batches.ts';
import { Arrivals, longPoll } from './long-poll.ts';
import { type DeadLetter, messageIdOf, receiptHandle, receiveMessage, type StoredMessage } from './stored-message.ts';

export interface MemoryFifoQueueOptions {
  readonly clock: Clock;
  /** After this number of receives, a message becomes a dead letter. */
  readonly maxReceiveCount?: number;
  readonly onRequest?: OnRequest;
}

/**
 * An SQS FIFO queue in memory. A message group with a message in flight delivers no other message. One receive may
 * return several messages of a message group, in order. A receipt handle is valid until the message becomes visible
 * again.
 */
export class MemoryFifoQueue implements FifoQueue {
  readonly #clock: Clock;
  readonly #maxReceiveCount: number;
  readonly #onRequest: OnRequest;
  readonly #arrivals = new Arrivals();
  /**
   * The messages by message group, in order. A message group without messages is absent; one that has just delivered
   * messages moves to the end.
   */
  readonly #messageGroups = new Map<string, StoredMessage[]>();
  readonly #messages = new Map<string, StoredMessage>();
  /** The time of the send, by deduplication id, in the order of the sends. */
  readonly #remembered = new Map<string, number>();
  readonly #dead: DeadLetter[] = [];
  #sent = 0;

  constructor({ clock, maxReceiveCount = Number.POSITIVE_INFINITY, onRequest = () => {} }: MemoryFifoQueueOptions) {
    this.#clock = clock;
    this.#maxReceiveCount = maxReceiveCount;
    this.#onRequest = onRequest;
  }

  async send(messages: readonly OutgoingMessage[], signal?: AbortSignal): Promise<SendResult[]> {
    signal?.throwIfAborted();
    for (const round of sendRounds(messages)) {
      for (const _batch of sendBatches(round, messages)) this.#onRequest('sqs', 'SendMessageBatch', {});
    }
    for (const message of messages) this.#add(message);
    this.#arrivals.announce();
    return messages.map(() => ({ accepted: true }));
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

  async delete(receiptHandles: readonly string[], signal?: AbortSignal): Promise<string[]> {
    signal?.throwIfAborted();
    this.#countBatches('DeleteMessageBatch', receiptHandles.length);
    const failed = receiptHandles.filter((handle) => {
      const message = this.#messages.get(messageIdOf(handle));
      if (message === undefined) return false;
      if (!this.#inFlight(message) || receiptHandle(message) !== handle) return true;
      this.#remove(message);
      return false;
    });
    this.#arrivals.announce();
    return failed;
  }

  async changeVisibility(receiptHandles: readonly string[], seconds: number): Promise<void> {
    this.#countBatches('ChangeMessageVisibilityBatch', receiptHandles.length);
    for (const handle of receiptHandles) {
      const message = this.#messages.get(messageIdOf(handle));
      if (message === undefined || !this.#inFlight(message) || receiptHandle(message) !== handle) continue;
      message.visibleAtMs = this.#clock.monotonic() + seconds * 1_000;
    }
    this.#arrivals.announce();
  }

  async waiting(): Promise<number> {
    this.#onRequest('sqs', 'GetQueueAttributes', {});
    let waiting = 0;
    for (const message of this.#messages.values()) if (!this.#inFlight(message)) waiting += 1;
    return waiting;
  }

  async sendDead({ messageId, body, messageGroupId, reason }: Parameters<FifoQueue['sendDead']>[0]): Promise<void> {
    this.#onRequest('sqs', 'SendMessage', {});
    if (this.#dead.some((letter) => letter.messageId === messageId)) return;
    this.#dead.push({ messageId, body, messageGroupId, reason });
  }

  /** The messages of the dead-letter queue. */
  deadLetters(): readonly DeadLetter[] {
    return this.#dead;
  }

  /** All messages of the queue, also those in flight, in the order in which they were sent. */
  messages(): readonly Readonly<StoredMessage>[] {
    return [...this.#messages.values()];
  }

  /** When the next in-flight message becomes visible by itself, by the monotonic clock. Queues use true time. */
  nextVisibleAtMs(): number | undefined {
    const nowMs = this.#clock.monotonic();
    const times = [...this.#messages.values()].map((message) => message.visibleAtMs).filter((atMs) => atMs > nowMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #add({ body, messageGroupId, deduplicationId }: OutgoingMessage): void {
    const nowMs = this.#clock.monotonic();
    for (const [id, atMs] of this.#remembered) {
      if (atMs + DEDUPLICATION_MS > nowMs) break;
      this.#remembered.delete(id);
    }
    if (this.#remembered.has(deduplicationId)) return;
    this.#remembered.set(deduplicationId, nowMs);
    this.#sent += 1;
    const messageId = `message-${this.#sent}`;
    const sentAtMs = this.#clock.now();
    const message = { messageId, body, messageGroupId, sentAtMs, visibleAtMs: nowMs, receiveCount: 0 };
    this.#messages.set(messageId, message);
    const group = this.#messageGroups.get(messageGroupId);
    if (group === undefined) this.#messageGroups.set(messageGroupId, [message]);
    else group.push(message);
  }

  #take(options: Parameters<QueueReceiver['receive']>[0], receivedAtMs: number): ReceivedMessage[] {
    const { maxMessages, visibilitySeconds } = options;
    const hiddenUntilMs = this.#clock.monotonic() + visibilitySeconds * 1_000;
    const taken: ReceivedMessage[] = [];
    for (const [messageGroupId, group] of [...this.#messageGroups]) {
      if (taken.length >= maxMessages) break;
      if (group.some((message) => this.#inFlight(message))) continue;
      for (const message of [...group]) {
        if (taken.length >= maxMessages) break;
        if (message.receiveCount >= this.#maxReceiveCount) this.#bury(message);
        else taken.push(receiveMessage(message, hiddenUntilMs, receivedAtMs));
      }
      if (!this.#messageGroups.delete(messageGroupId) || group.length === 0) continue;
      this.#messageGroups.set(messageGroupId, group);
    }
    return taken;
  }

  #bury(message: StoredMessage): void {
    const { messageId, body, messageGroupId } = message;
    this.#dead.push({ messageId, body, messageGroupId });
    this.#remove(message);
  }

  #remove(message: StoredMessage): void {
    this.#messages.delete(message.messageId);
    const group = this.#messageGroups.get(message.messageGroupId) ?? [];
    group.splice(group.indexOf(message), 1);
    if (group.length === 0) this.#messageGroups.delete(message.messageGroupId);
  }

  #inFlight(message: StoredMessage): boolean {
    return message.visibleAtMs > this.#clock.monotonic();
  }

  #countBatches(operation: string, entries: number): void {
    for (let sent = 0; sent < entries; sent += 10) this.#onRequest('sqs', operation, {});
  }
}
