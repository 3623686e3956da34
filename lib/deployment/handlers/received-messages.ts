import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { ReceivedMessage } from '../../ports/queue.ts';
import type { FunctionCall } from './lambda-handler.ts';

/**
 * Between Lambda's receive of a message and the start of the invocation that handles it lie a queue of its own and, at
 * times, a cold start.
 */
export const BEFORE_INVOCATION_MS = 5_000;

/**
 * The messages of an invocation. When they were received is told for the first receive alone; for a later one it is taken
 * to be long before the invocation, so that none counts as younger than it is.
 */
export function receivedMessages(
  { Records }: SQSEvent,
  call: Pick<FunctionCall, 'startedAtMs' | 'startedMonotonicMs'>,
): ReceivedMessage[] {
  return Records.map((record) => ({
    messageId: record.messageId,
    receiptHandle: record.receiptHandle,
    body: record.body,
    messageGroupId: record.attributes.MessageGroupId ?? '',
    receiveCount: Number(record.attributes.ApproximateReceiveCount),
    sentAtMs: Number(record.attributes.SentTimestamp),
    receivedAtMs: call.startedMonotonicMs - ageAtStartMs(record, call.startedAtMs),
  }));
}

function ageAtStartMs({ attributes }: SQSRecord, startedAtMs: number): number {
  const firstMs = Number(attributes.ApproximateFirstReceiveTimestamp);
  const isFirst = Number(attributes.ApproximateReceiveCount) === 1 && firstMs > 0;
  return isFirst ? Math.max(0, startedAtMs - firstMs) : BEFORE_INVOCATION_MS;
}

/** The name of the queue that the messages come from; one invocation's all come from one. */
export function sourceQueueName({ Records }: SQSEvent): string {
  return Records[0]?.eventSourceARN.split(':').at(-1) ?? '';
}

/** The clusters that messages speak of, as far as they can be read, with the time in epoch ms at which they were sent. */
export function clustersNamed(messages: readonly Pick<ReceivedMessage, 'body' | 'sentAtMs'>[]): Map<string, number> {
  const spokenOf = new Map<string, number>();
  for (const { body, sentAtMs } of messages) {
    const name = /"cluster":"([a-z0-9-]{1,40})"/.exec(body)?.[1];
    if (name !== undefined) spokenOf.set(name, Math.max(sentAtMs, spokenOf.get(name) ?? 0));
  }
  return spokenOf;
}
