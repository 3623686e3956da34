import type { DeadLetter } from '../../../lib/adapters/memory/stored-message.ts';
import type { DelayQueue, FifoQueue, OutgoingMessage, ReceivedMessage } from '../../../lib/ports/queue.ts';

export const MAX_RECEIVE_COUNT = 3;

/** One adapter under test, on a queue of its own. */
export interface QueueSubject<Queue extends FifoQueue | DelayQueue> {
  readonly queue: Queue;
  /** What lies in the dead-letter queue by now. */
  deadLetters(): Promise<readonly Omit<DeadLetter, 'messageId'>[]>;
  /** Lets time pass on queues whose clock the test moves; others pass it themselves. */
  elapse(ms: number): Promise<void>;
  close(): Promise<void>;
}

let fresh = 0;

/** A message of a group with a deduplication id unlike all others. */
export function message(messageGroupId: string, body: string, deduplicationId?: string): OutgoingMessage {
  fresh += 1;
  return { messageGroupId, body, deduplicationId: deduplicationId ?? `observation-${fresh}` };
}

export const NO_WAIT = { maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 };

export function bodies(messages: readonly ReceivedMessage[]): string[] {
  return messages.map(({ body }) => body);
}

/**
 * Receives one after the other and deletes, until the queue gives no more: SQS may give out a group's messages together
 * or one by one.
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
