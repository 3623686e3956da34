import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { ReceivedMessage } from '../../lib/ports/queue.ts';

/**
 * Between Lambda's receive of a message and the start of the invocation that handles it lie a queue of its own and, at
 * times, a cold start.
 */
export const BEFORE_INVOCATION_MS = 5_000;

/**
 * The messages of an invocation. When they were received is told for the first receive alone; for a later one it is taken
 * to be long before the invocation, so that none counts as younger than it is.
 * @param startedAtMs of the invocation.
 */
export function receivedMessages({ Records }: SQSEvent, startedAtMs: number): ReceivedMessage[] {
  return Records.map((record) => ({
    messageId: record.messageId,
    receiptHandle: record.receiptHandle,
    body: record.body,
    groupId: record.attributes.MessageGroupId ?? '',
    receiveCount: Number(record.attributes.ApproximateReceiveCount),
    sentAtMs: Number(record.attributes.SentTimestamp),
    receivedAtMs: receivedAtMs(record, startedAtMs),
  }));
}

function receivedAtMs({ attributes }: SQSRecord, startedAtMs: number): number {
  const firstMs = Number(attributes.ApproximateFirstReceiveTimestamp);
  const isFirst = Number(attributes.ApproximateReceiveCount) === 1 && firstMs > 0;
  return isFirst ? Math.min(firstMs, startedAtMs) : startedAtMs - BEFORE_INVOCATION_MS;
}

/** The name of the queue that the messages come from; one invocation's all come from one. */
export function sourceQueueName({ Records }: SQSEvent): string {
  return Records[0]?.eventSourceARN.split(':').at(-1) ?? '';
}
