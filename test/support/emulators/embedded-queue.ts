import {
  ChangeMessageVisibilityBatchCommand,
  CreateQueueCommand,
  GetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { accessKeyCheck, guardServer } from '../../../lib/adapters/loopback/request-guard.ts';
import { LOCAL_REGION, localCredentials } from './local-account.ts';

export interface RedriveOptions {
  readonly visibilitySeconds: number;
  /** After this number of receives, a message goes to the dead-letter queue. */
  readonly maxReceiveCount: number;
}

export interface QueueUrls {
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
}

export interface EmbeddedQueue {
  readonly endpoint: string;
  /** A FIFO queue with its FIFO dead-letter queue. @param name without `.fifo`. */
  createFifoQueue(name: string, redrive: RedriveOptions): Promise<QueueUrls>;
  /** A standard queue with its standard dead-letter queue. */
  createDelayQueue(name: string, redrive: RedriveOptions): Promise<QueueUrls>;
  close(): Promise<void>;
}

/**
 * Starts SQS in this process, in memory, on a free port of 127.0.0.1, for programs of this user.
 * @param token the access key that every request must be signed with.
 */
export async function startEmbeddedQueue({ token }: { token?: string } = {}): Promise<EmbeddedQueue> {
  const credentials = localCredentials(token);
  const app = buildApp({ logger: false, defaultRegion: LOCAL_REGION });
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.raw.destroyed) await giveBack(clients.sqs, request.body, payload);
  });
  await app.ready();
  guardServer(app.server, accessKeyCheck(credentials.accessKeyId));
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 });
  const clients = createAwsClients({
    region: LOCAL_REGION,
    credentials,
    endpoints: { sqs: endpoint },
    maxSockets: 1,
  });

  return {
    endpoint,
    createFifoQueue: (name, redrive) => createWithDeadLetters(clients.sqs, name, '.fifo', redrive),
    createDelayQueue: (name, redrive) => createWithDeadLetters(clients.sqs, name, '', redrive),
    async close() {
      clients.close();
      await app.close();
    },
  };
}

/**
 * Gives back the messages that a long poll received after its client was gone. Without this they would stay invisible
 * for the whole time-out, and a worker that starts again would wait for them.
 */
async function giveBack(sqs: SQSClient, request: unknown, answer: unknown): Promise<void> {
  const { QueueUrl } = request as { QueueUrl?: string };
  const { Messages = [] } = (typeof answer === 'string' ? JSON.parse(answer) : {}) as {
    Messages?: { ReceiptHandle: string }[];
  };
  if (QueueUrl === undefined || Messages.length === 0) return;
  const Entries = Messages.map(({ ReceiptHandle }, index) => ({
    Id: String(index),
    ReceiptHandle,
    VisibilityTimeout: 0,
  }));
  await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
}

async function createQueue(sqs: SQSClient, name: string, attributes: Record<string, string>): Promise<string> {
  const command = new CreateQueueCommand({ QueueName: name, Attributes: attributes });
  const { QueueUrl } = await sqs.send(command);
  if (QueueUrl === undefined) throw new Error(`the embedded SQS created no queue ${name}`);
  return QueueUrl;
}

async function createWithDeadLetters(
  sqs: SQSClient,
  name: string,
  suffix: '' | '.fifo',
  { visibilitySeconds, maxReceiveCount }: RedriveOptions,
): Promise<QueueUrls> {
  const type: Record<string, string> = suffix === '.fifo' ? { FifoQueue: 'true' } : {};
  const deadLetterQueueUrl = await createQueue(sqs, `${name}-dead${suffix}`, type);
  const attributes = new GetQueueAttributesCommand({ QueueUrl: deadLetterQueueUrl, AttributeNames: ['QueueArn'] });
  const deadLetterTargetArn = (await sqs.send(attributes)).Attributes?.QueueArn;
  const queueUrl = await createQueue(sqs, `${name}${suffix}`, {
    ...type,
    VisibilityTimeout: String(visibilitySeconds),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }),
  });
  return { queueUrl, deadLetterQueueUrl };
}
