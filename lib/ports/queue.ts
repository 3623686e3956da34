/**
 * A queue that gives up a message after this many receives: the most that SQS takes. It is the last resort, against what
 * kills every process before our own count (`MessageFailures`) is written. Far above that count, since receives are also
 * used up by invocations that were throttled and by outages, which say nothing about the message: at one receive
 * a minute it is reached after 16 hours.
 */
export const MAX_RECEIVE_COUNT = 1_000;

/**
 * A queue remembers the id of a message this long after the send, whatever became of the message, and drops every other
 * message of that id (SQS: the deduplication interval).
 */
export const DEDUPLICATION_MS = 300_000;

/** A message as the engine sends it to a FIFO queue. */
export interface OutgoingMessage {
  /** JSON, under 1 KB. */
  readonly body: string;
  /** At most 128 characters. */
  readonly groupId: string;
  /** At most 128 characters; names one observation. */
  readonly deduplicationId: string;
}

/** What became of one entry of a batch, at the same index. */
export type SendResult = { readonly accepted: true } | { readonly accepted: false; readonly error: unknown };

export interface QueueSender {
  /**
   * Sends any number of messages, split into batches as the queue takes them; order is kept within a group. An entry
   * that was refused says so; the caller sends it again. Rejects only when nothing is known of any entry.
   */
  send(messages: readonly OutgoingMessage[], signal?: AbortSignal): Promise<SendResult[]>;
}

export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly groupId: string;
  /** How often it was received, this time included. */
  readonly receiveCount: number;
  /** Epoch ms of the queue's clock. */
  readonly sentAtMs: number;
  /** Monotonic ms of this process, taken just before the receive was sent. */
  readonly receivedAtMs: number;
}

export interface QueueReceiver {
  /** Up to 10 messages; an empty list after `waitSeconds` without one. Messages of one group come in order. */
  receive(
    options: { maxMessages: number; waitSeconds: number; visibilitySeconds: number },
    signal?: AbortSignal,
  ): Promise<ReceivedMessage[]>;
}

export interface QueueDeleter {
  /** Deletes handled messages. Those that could not be deleted are returned: they are delivered again. */
  delete(receiptHandles: readonly string[], signal?: AbortSignal): Promise<string[]>;
}

/** Takes messages that can never be handled, with the reason. */
export interface DeadLetterSender {
  sendDead(message: { body: string; groupId: string; reason: string; messageId: string }): Promise<void>;
}

export interface QueueDepth {
  /** How many messages wait to be received, about: SQS shows what changed up to a minute later. */
  waiting(): Promise<number>;
}

/** A FIFO queue with its dead-letter queue. */
export interface FifoQueue extends QueueSender, QueueReceiver, QueueDeleter, DeadLetterSender, QueueDepth {
  /** Makes messages visible again after `seconds`; used when a worker drains. */
  changeVisibility(receiptHandles: readonly string[], seconds: number): Promise<void>;
}

/** The longest delay a standard queue's message takes: 15 minutes. */
export const MAX_DELAY_SECONDS = 900;

/** A standard queue whose messages carry a delay each; order and deduplication are not promised. */
export interface DelayQueue extends QueueReceiver, QueueDeleter {
  /** @param delaySeconds whole seconds, 0..900. */
  sendDelayed(message: { body: string; delaySeconds: number }, signal?: AbortSignal): Promise<void>;
}
