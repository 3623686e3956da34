import type { ReceivedMessage } from '../../ports/queue.ts';

export interface StoredMessage {
  readonly messageId: string;
  readonly body: string;
  readonly messageGroupId: string;
  /** Epoch ms. */
  readonly sentAtMs: number;
  /** Monotonic ms. */
  visibleAtMs: number;
  receiveCount: number;
}

/** A message in the dead-letter queue. It has no reason if it was received too often. */
export interface DeadLetter {
  readonly messageId: string;
  readonly body: string;
  readonly messageGroupId: string;
  readonly reason?: string;
}

/** Each receive of a message returns another handle. The handle identifies the message and the receive. */
export function receiptHandle({ messageId, receiveCount }: StoredMessage): string {
  return `${messageId}:${receiveCount}`;
}

export function messageIdOf(handle: string): string {
  return handle.slice(0, handle.lastIndexOf(':'));
}

/** Counts the receive, hides the message, and returns it in the form that its receiver gets. */
export function receiveMessage(message: StoredMessage, hiddenUntilMs: number, receivedAtMs: number): ReceivedMessage {
  message.receiveCount += 1;
  message.visibleAtMs = hiddenUntilMs;
  const { messageId, body, messageGroupId, receiveCount, sentAtMs } = message;
  const handle = receiptHandle(message);
  return { messageId, receiptHandle: handle, body, messageGroupId, receiveCount, sentAtMs, receivedAtMs };
}
