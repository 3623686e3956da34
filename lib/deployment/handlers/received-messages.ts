import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { ReceivedMessage } from '../../ports/queue.ts';
import type { FunctionCall } from './lambda-handler.ts';

/**
 * The time between Lambda's receive of a message and the start of its invocation: the message waits in a queue inside
 * Lambda, and the function may have a cold start.
 */
export const BEFORE_INVOCATION_MS = 5_000;

/**
 * The messages of an invocation. SQS reports only the time of the first receive. For a later one, the message counts as
 * received long before the invocation, so that it never seems younger than it is.
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

/** The name of the queue of the messages. All messages of an invocation are from the same one. */
export function sourceQueueName({ Records }: SQSEvent): string {
  return Records[0]?.eventSourceARN.split(':').at(-1) ?? '';
}

/** The clusters that the messages name, as far as the messages can be read, and when they were sent, epoch ms. */
export function clustersNamed(messages: readonly Pick<ReceivedMessage, 'body' | 'sentAtMs'>[]): Map<string, number> {
  const spokenOf = new Map<string, number>();
  for (const { body, sentAtMs } of messages) {
    const name = /"cluster":"([a-z0-9-]{1,40})"/.exec(body)?.[1];
    if (name !== undefined) spokenOf.set(name, Math.max(sentAtMs, spokenOf.get(name) ?? 0));
  }
  return spokenOf;
}
