import type { DeadLetter } from '../../../lib/adapters/memory/stored-message.ts';
import type { DelayQueue, FifoQueue, OutgoingMessage, ReceivedMessage } from '../../../lib/ports/queue.ts';

export const MAX_RECEIVE_COUNT = 3;

/** One adapter under test, with its own queue. */
export interface QueueSubject<Queue extends FifoQueue | DelayQueue> {
  readonly queue: Queue;
  /** The messages in the dead-letter queue now. */
  deadLetters(): Promise<readonly Omit<DeadLetter, 'messageId'>[]>;
  /** Advances the test's clock. Does nothing for queues with a clock of their own. */
  elapse(ms: number): Promise<void>;
  close(): Promise<void>;
}

let fresh = 0;

/** A message of a group, with a unique deduplication id. */
export function message(messageGroupId: string, body: string, deduplicationId?: string): OutgoingMessage {
  fresh += 1;
  return { messageGroupId, body, deduplicationId: deduplicationId ?? `observation-${fresh}` };
}

export const NO_WAIT = { maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 };

export function bodies(messages: readonly ReceivedMessage[]): string[] {
  return messages.map(({ body }) => body);
}

/**
 * Receives and deletes one message after the other, until the queue is empty: SQS may return the messages of a group
 * together or one by one.
 */
export async function drain(queue: FifoQueue | DelayQueue): Promise<ReceivedMessage[]> {
  const all: ReceivedMessage[] = [];
  for (;;) {
    const messages = await queue.receive(NO_WAIT);
    if (messages.length === 0) return all;
    all.push(...messages);
    await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
  }
}
