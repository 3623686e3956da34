import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { SqsDeadLetters } from '../../../lib/adapters/aws/sqs-dead-letters.ts';
import { SqsDelayQueue } from '../../../lib/adapters/aws/sqs-delay-queue.ts';
import { SqsFifoQueue } from '../../../lib/adapters/aws/sqs-fifo-queue.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { type EmbeddedQueue, startEmbeddedQueue } from '../../support/emulators/embedded-queue.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../support/emulators/local-account.ts';

const REDRIVE = { visibilitySeconds: 60, maxReceiveCount: 10 };
const RECEIVE = { maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 };

let server: EmbeddedQueue;
let client: SQSClient;
let queue: SqsFifoQueue;
let letters: SqsDeadLetters;

beforeEach(async () => {
  server = await startEmbeddedQueue();
  const clients = createAwsClients({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoints: { sqs: server.endpoint },
    maxSockets: 4,
  });
  client = clients.sqs;
  const urls = await server.createFifoQueue('evenkeel-prod-t4-events', REDRIVE);
  queue = new SqsFifoQueue({ client, clock: new ManualClock(), ...urls });
  letters = new SqsDeadLetters(client);
});
afterEach(async () => {
  client.destroy();
  await server.close();
});

async function bury(...bodies: string[]): Promise<void> {
  for (const [index, body] of bodies.entries()) {
    await queue.send([{ body, messageGroupId: `g${index}`, deduplicationId: body }]);
  }
  await buryAll('NotJson: the body is not JSON');
}

/** Does what a worker does: sends each to the dead-letter queue, then deletes it. */
async function buryAll(reason: string): Promise<void> {
  const messages = await queue.receive(RECEIVE);
  for (const message of messages) await queue.sendDead({ ...message, reason });
  await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
}

/** Sends the same content again, like a message that could not be handled the second time either. */
async function buryAgain(body: string): Promise<void> {
  await queue.send([{ body, messageGroupId: 'g0', deduplicationId: `${body} again` }]);
  await buryAll('again');
}

async function deadQueue() {
  const [found] = await letters.queues('prod');
  if (found === undefined) throw new Error('there is no dead-letter queue');
  return found;
}

describe('SqsDeadLetters', () => {
  it('R-5.4 the dead-letter queues of a stage are found, and no others', async () => {
    await server.createFifoQueue('evenkeel-production-t4-events', REDRIVE);
    await server.createDelayQueue('evenkeel-prod-wakes', REDRIVE);
    await client.send(new CreateQueueCommand({ QueueName: 'evenkeel-prod-other' }));
    await bury('a', 'b');
    expect(await letters.queues('prod')).toMatchObject([
      { name: 'evenkeel-prod-t4-events-dead', count: 2 },
      { name: 'evenkeel-prod-wakes-dead', count: 0 },
    ]);
  });

  it('R-5.4 each dead letter is shown with its reason, and stays in its queue', async () => {
    await bury('a', 'b');
    for (let look = 0; look < 2; look += 1) {
      const shown = await letters.peek(await deadQueue());
      expect(shown.map(({ body, reason }) => `${body} ${reason}`).sort()).toEqual([
        'a NotJson: the body is not JSON',
        'b NotJson: the body is not JSON',
      ]);
    }
  });

  it('R-5.4 a redrive sends each message to its queue, in its message group, and deletes the dead letter', async () => {
    await bury('a', 'b');
    const sent: string[] = [];
    await letters.redrive(await deadQueue(), ({ body }) => sent.push(body));
    expect(sent.sort()).toEqual(['a', 'b']);
    expect((await deadQueue()).count).toBe(0);
    const received = await queue.receive(RECEIVE);
    expect(received.map(({ body, messageGroupId }) => `${body} ${messageGroupId}`).sort()).toEqual(['a g0', 'b g1']);
  });

  it('R-6.10 a redrive leaves what is not chosen, and everything after the end', async () => {
    await bury('a', 'b', 'c');
    const dead = await deadQueue();
    const sent: string[] = [];
    await letters.redrive(
      dead,
      ({ body }) => sent.push(body),
      async ({ body }) => (body === 'b' ? 'send' : 'keep'),
    );
    expect(sent).toEqual(['b']);
    await letters.redrive(
      dead,
      ({ body }) => sent.push(body),
      async () => 'end',
    );
    expect(sent).toEqual(['b']);
    expect((await letters.peek(dead)).map(({ body }) => body).sort()).toEqual(['a', 'c']);
  });

  it('R-5.4 a message that comes back during the redrive is not sent a second time', async () => {
    await bury('a');
    const sent: string[] = [];
    const send = client.send.bind(client);
    client.send = (async (command: object) => {
      const answer = await send(command as never);
      // No worker can handle it, so it is a dead letter again before the next read.
      if (command.constructor.name === 'DeleteMessageCommand') {
        client.send = send;
        await buryAll('again');
      }
      return answer;
    }) as never;
    await letters.redrive(await deadQueue(), ({ body }) => sent.push(body));
    expect(sent).toEqual(['a']);
    expect((await deadQueue()).count).toBe(1);
  });

  /** Calls a function before each request. The function may change the request or throw. */
  function meet(operation: string, first: (input: { VisibilityTimeout?: number }) => void): void {
    const send = client.send.bind(client);
    client.send = (async (command: { input: object }) => {
      if (command.constructor.name === `${operation}Command`) first(command.input);
      return await send(command as never);
    }) as never;
  }

  /** Shows the first messages again, like a queue that takes longer to read than its messages stay hidden. */
  function showAgainAtOnce(): void {
    let receives = 0;
    meet('ReceiveMessage', (input) => {
      receives += 1;
      if (receives > 20) throw new Error('it does not end');
      input.VisibilityTimeout = 0;
    });
  }

  it('R-5.4 each dead letter is shown once, and reading ends, when the queue shows its first one again', async () => {
    await bury('a', 'b');
    showAgainAtOnce();
    expect((await letters.peek(await deadQueue())).map(({ body }) => body).sort()).toEqual(['a', 'b']);
  });

  it('R-5.4 a redrive ends when the queue shows the messages again that stay in it', async () => {
    await bury('a');
    await buryAgain('a');
    showAgainAtOnce();
    const sent: string[] = [];
    await letters.redrive(await deadQueue(), ({ body }) => sent.push(body));
    expect(sent).toEqual(['a']);
    expect((await deadQueue()).count).toBe(1);
  });

  it('R-6.4 a failed read shows its reason when the messages cannot be released either', async () => {
    await bury('a');
    const dead = await deadQueue();
    let receives = 0;
    meet('ReceiveMessage', () => {
      receives += 1;
      if (receives % 2 === 0) throw new Error('no answer');
    });
    meet('ChangeMessageVisibility', () => {
      throw new Error('no answer');
    });
    await expect(letters.peek(dead)).rejects.toThrow('ReceiveMessage');
  });

  it('R-6.4 a read succeeds when its messages cannot be released', async () => {
    await bury('a');
    meet('ChangeMessageVisibility', () => {
      throw new Error('the handle is too old');
    });
    expect((await letters.peek(await deadQueue())).map(({ body }) => body)).toEqual(['a']);
  });

  it('R-6.4 a failed redrive shows its reason when the messages cannot be released either', async () => {
    await bury('a');
    const dead = await deadQueue();
    for (const operation of ['SendMessage', 'ChangeMessageVisibility']) {
      meet(operation, () => {
        throw new Error('no answer');
      });
    }
    await expect(letters.redrive(dead, () => {})).rejects.toThrow('SendMessage');
  });

  it('R-5.4 wakes go back to their queue without a message group', async () => {
    const urls = await server.createDelayQueue('evenkeel-prod-wakes', REDRIVE);
    const dead = new SqsDelayQueue({ client, clock: new ManualClock(), queueUrl: urls.deadLetterQueueUrl });
    const wakes = new SqsDelayQueue({ client, clock: new ManualClock(), queueUrl: urls.queueUrl });
    await dead.sendDelayed({ body: 'wake', delaySeconds: 0 });
    const [, wakesDead] = await letters.queues('prod');
    if (wakesDead === undefined) throw new Error('there is no queue');
    await letters.redrive(wakesDead as never, () => {});
    expect((await wakes.receive(RECEIVE)).map(({ body }) => body)).toEqual(['wake']);
  });
});
