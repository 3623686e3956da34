import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import {
  BEFORE_INVOCATION_MS,
  clustersNamed,
  receivedMessages,
  sourceQueueName,
} from '../../../lib/deployment/handlers/received-messages.ts';

const STARTED = 1_000_000;
const MONOTONIC = 5_000;
const CALL = { startedAtMs: STARTED, startedMonotonicMs: MONOTONIC };

function record(attributes: Partial<SQSRecord['attributes']>, body = '{}'): SQSRecord {
  return {
    messageId: 'm',
    receiptHandle: 'r',
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '900000',
      SenderId: 's',
      ApproximateFirstReceiveTimestamp: '999000',
      MessageGroupId: 'g',
      ...attributes,
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:1:evenkeel-prod-t4-events.fifo',
    awsRegion: 'eu-central-1',
  };
}

const received = (attributes: Partial<SQSRecord['attributes']>) =>
  receivedMessages({ Records: [record(attributes)] }, CALL)[0]?.receivedAtMs;

describe('receivedMessages', () => {
  it('R-5.5 SQS reports the time of a first receive', () => {
    expect(received({})).toBe(MONOTONIC - 1_000);
    expect(received({ ApproximateFirstReceiveTimestamp: String(STARTED + 50) })).toBe(MONOTONIC);
  });

  it('R-5.5 a later receive counts as long before the invocation: no message counts as younger than it is', () => {
    expect(received({ ApproximateReceiveCount: '2' })).toBe(MONOTONIC - BEFORE_INVOCATION_MS);
    expect(received({ ApproximateFirstReceiveTimestamp: '' })).toBe(MONOTONIC - BEFORE_INVOCATION_MS);
  });

  it('R-5.5 group, counts and times are those of the record', () => {
    const event: SQSEvent = { Records: [record({ ApproximateReceiveCount: '3' })] };
    expect(receivedMessages(event, CALL)).toEqual([
      {
        messageId: 'm',
        receiptHandle: 'r',
        body: '{}',
        messageGroupId: 'g',
        receiveCount: 3,
        sentAtMs: 900_000,
        receivedAtMs: MONOTONIC - BEFORE_INVOCATION_MS,
      },
    ]);
    expect(sourceQueueName(event)).toBe('evenkeel-prod-t4-events.fifo');
  });
});

describe('clustersNamed', () => {
  it('R-5.3 the clusters of all readable messages are found, with the time of the last message about each', () => {
    const message = (body: string, sentAtMs: number) => ({ body, sentAtMs });
    const named = clustersNamed([
      message('{"v":1,"cluster":"east","kind":"x"}', 5),
      message('{"v":1,"cluster":"east","kind":"y"}', 9),
      message('{"cluster":"WEST"}', 1),
      message('no JSON', 1),
    ]);
    expect([...named]).toEqual([['east', 9]]);
  });
});
