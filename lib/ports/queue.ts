/**
 * A queue moves a message to its dead-letter queue after this many receives: the largest number that SQS accepts. It is
 * the last protection, for a message that kills every process before our own count (`MessageFailures`) is written. It
 * is far larger than that count, because throttled invocations and outages also use up receives, and the message does
 * not cause these. At one receive a minute it is reached after 16 hours.
 */
export const MAX_RECEIVE_COUNT = 1_000;

/**
 * For this long after a send, a queue drops every other message with the same id, even if the first one was deleted (SQS:
 * the deduplication interval).
 */
export const DEDUPLICATION_MS = 300_000;

/** A message in the form in which the engine sends it to a FIFO queue. */
export interface OutgoingMessage {
  /** JSON, under 1 KB. */
  readonly body: string;
  /** At most 128 characters. */
  readonly messageGroupId: string;
  /** At most 128 characters; identifies one observation. */
  readonly deduplicationId: string;
}

/** The result of one entry of a batch, at the same index. */
export type SendResult = { readonly accepted: true } | { readonly accepted: false; readonly error: unknown };

export interface QueueSender {
  /**
   * Sends any number of messages, split into batches that the queue accepts. The order is kept within a message group.
   * The result shows a refused entry; the caller sends it again. Rejects only when no entry has a known result.
   */
  send(messages: readonly OutgoingMessage[], signal?: AbortSignal): Promise<SendResult[]>;
}

export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly messageGroupId: string;
  /** The number of receives, with this one. */
  readonly receiveCount: number;
  /** Epoch ms on the queue's clock. */
  readonly sentAtMs: number;
  /** Monotonic ms of this process, taken just before the receive was sent. */
  readonly receivedAtMs: number;
}

export interface QueueReceiver {
  /**
   * Returns up to 10 messages; an empty list after `waitSeconds` without one. Messages of one message group are in
   * order.
   */
  receive(
    options: { maxMessages: number; waitSeconds: number; visibilitySeconds: number },
    signal?: AbortSignal,
  ): Promise<ReceivedMessage[]>;
}

export interface QueueDeleter {
  /** Deletes handled messages. Returns those that could not be deleted: they are delivered again. */
  delete(receiptHandles: readonly string[], signal?: AbortSignal): Promise<string[]>;
}

/** Stores messages that no worker can ever handle, with the reason. */
export interface DeadLetterSender {
  sendDead(message: { body: string; messageGroupId: string; reason: string; messageId: string }): Promise<void>;
}

export interface QueueDepth {
  /** The approximate number of waiting messages: SQS shows changes up to a minute later. */
  waiting(): Promise<number>;
}

/** A FIFO queue with its dead-letter queue. */
export interface FifoQueue extends QueueSender, QueueReceiver, QueueDeleter, DeadLetterSender, QueueDepth {
  /** Makes messages visible again after `seconds`; used when a worker drains. */
  changeVisibility(receiptHandles: readonly string[], seconds: number): Promise<void>;
}

/** The longest delay of a message in a standard queue: 15 minutes. */
export const MAX_DELAY_SECONDS = 900;

/** A standard queue; each message has its own delay. Order and deduplication are not guaranteed. */
export interface DelayQueue extends QueueReceiver, QueueDeleter {
  /** @param delaySeconds whole seconds, 0..900. */
  sendDelayed(message: { body: string; delaySeconds: number }, signal?: AbortSignal): Promise<void>;
}
