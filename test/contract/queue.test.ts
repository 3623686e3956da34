import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll } from 'vitest';
import { type AwsClients, createAwsClients } from '../../lib/adapters/aws/clients.ts';
import { SqsDelayQueue } from '../../lib/adapters/aws/sqs-delay-queue.ts';
import { SqsFifoQueue } from '../../lib/adapters/aws/sqs-fifo-queue.ts';
import { MemoryDelayQueue } from '../../lib/adapters/memory/memory-delay-queue.ts';
import { MemoryFifoQueue } from '../../lib/adapters/memory/memory-fifo-queue.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { ManualClock } from '../../lib/testing/manual-clock.ts';
import { openTestState } from '../adapters/sqlite/test-state.ts';
import { type EmbeddedQueue, startEmbeddedQueue } from '../support/emulators/embedded-queue.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../support/emulators/local-account.ts';
import { describeDelayQueue } from './queue/delay-queue.contract.ts';
import { describeFifoQueue } from './queue/fifo-queue.contract.ts';
import { MAX_RECEIVE_COUNT } from './queue/subject.ts';

const REDRIVE = { visibilitySeconds: 30, maxReceiveCount: MAX_RECEIVE_COUNT };
/** fauxqs uses the machine's clock. */
const MACHINE_CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: () => Promise.reject(new Error('nothing sleeps here')),
};

let server: EmbeddedQueue;
let clients: AwsClients;
let queues = 0;

beforeAll(async () => {
  server = await startEmbeddedQueue();
  clients = createAwsClients({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoints: { sqs: server.endpoint },
    maxSockets: 8,
  });
});

afterAll(async () => {
  clients.close();
  await server.close();
});

/** Receives every message of a dead-letter queue. fauxqs returns one message of a group at a time. */
async function takeDeadLetters(queueUrl: string) {
  const letters = [];
  const receive = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MessageAttributeNames: ['reason'],
    MessageSystemAttributeNames: ['MessageGroupId'],
  });
  for (;;) {
    const [message] = (await clients.sqs.send(receive)).Messages ?? [];
    if (message === undefined) return letters;
    const reason = message.MessageAttributes?.reason?.StringValue;
    const messageGroupId = message.Attributes?.MessageGroupId ?? '';
    letters.push({ body: message.Body ?? '', messageGroupId, ...(reason !== undefined && { reason }) });
    await clients.sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: message.ReceiptHandle }));
  }
}

describeFifoQueue('MemoryFifoQueue', async () => {
  const clock = new ManualClock();
  const queue = new MemoryFifoQueue({ clock, maxReceiveCount: MAX_RECEIVE_COUNT });
  return {
    queue,
    deadLetters: async () => queue.deadLetters(),
    elapse: (ms) => clock.advance(ms),
    close: async () => {},
  };
});

describeFifoQueue('SqliteFifoQueue', async () => {
  const clock = new ManualClock();
  const { state, close, deadLetters } = await openTestState({ clock, maxReceiveCount: MAX_RECEIVE_COUNT });
  const queue = await state.fifoQueue('evenkeel-test-events');
  return { queue, deadLetters, elapse: (ms) => clock.advance(ms), close };
});

describeFifoQueue('SqsFifoQueue on fauxqs', async () => {
  queues += 1;
  const urls = await server.createFifoQueue(`events-${queues}`, REDRIVE);
  return {
    queue: new SqsFifoQueue({ client: clients.sqs, ...urls, clock: MACHINE_CLOCK }),
    deadLetters: () => takeDeadLetters(urls.deadLetterQueueUrl),
    elapse: async () => {},
    close: async () => {},
  };
});

describeDelayQueue('MemoryDelayQueue', async () => {
  const clock = new ManualClock();
  const queue = new MemoryDelayQueue({ clock, maxReceiveCount: MAX_RECEIVE_COUNT });
  return {
    queue,
    deadLetters: async () => queue.deadLetters(),
    elapse: (ms) => clock.advance(ms),
    close: async () => {},
  };
});

describeDelayQueue('SqliteDelayQueue', async () => {
  const clock = new ManualClock();
  const { state, close, deadLetters } = await openTestState({ clock, maxReceiveCount: MAX_RECEIVE_COUNT });
  const queue = await state.delayQueue('evenkeel-test-wakes');
  return { queue, deadLetters, elapse: (ms) => clock.advance(ms), close };
});

describeDelayQueue('SqsDelayQueue on fauxqs', async () => {
  queues += 1;
  const urls = await server.createDelayQueue(`wakes-${queues}`, REDRIVE);
  return {
    queue: new SqsDelayQueue({ client: clients.sqs, queueUrl: urls.queueUrl, clock: MACHINE_CLOCK }),
    deadLetters: () => takeDeadLetters(urls.deadLetterQueueUrl),
    elapse: async () => {},
    close: async () => {},
  };
});
