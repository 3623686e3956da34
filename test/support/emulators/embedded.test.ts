import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { type EmbeddedQueue, startEmbeddedQueue } from './embedded-queue.ts';
import { type EmbeddedTable, startEmbeddedTable } from './embedded-table.ts';
import { expireItems } from './expire-items.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from './local-account.ts';

let queue: EmbeddedQueue;
let table: EmbeddedTable;

beforeAll(async () => {
  [queue, table] = await Promise.all([startEmbeddedQueue(), startEmbeddedTable()]);
});

afterAll(async () => {
  await Promise.all([queue.close(), table.close()]);
});

/** Every address of this machine except the one on which the servers must listen. */
function otherAddresses(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const others = addresses.filter(({ address }) => address !== '127.0.0.1' && !address.startsWith('fe80:'));
  // All of 127.0.0.0/8 is this machine on Linux, so even one without a network can tell the difference.
  return [...others.map(({ address }) => address), ...(process.platform === 'linux' ? ['127.0.0.2'] : [])];
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (listening: boolean) => {
      socket.destroy();
      resolve(listening);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

describe('embedded parts', () => {
  it.each([
    ['the queue', () => queue.endpoint],
    ['the table', () => table.endpoint],
  ])('R-6.1 %s listens on 127.0.0.1 and on no other address', async (_what, endpoint) => {
    const { hostname, port } = new URL(endpoint());
    expect(hostname).toBe('127.0.0.1');
    expect(await isListening('127.0.0.1', Number(port))).toBe(true);
    const others = otherAddresses();
    const listening = await Promise.all(others.map((host) => isListening(host, Number(port))));
    expect(others.filter((_host, index) => listening[index])).toEqual([]);
  });

  it('R-6.1 two of each run side by side, and a closed one frees its port', async () => {
    const [otherQueue, otherTable] = await Promise.all([startEmbeddedQueue(), startEmbeddedTable()]);
    const endpoints = [queue.endpoint, table.endpoint, otherQueue.endpoint, otherTable.endpoint];
    expect(new Set(endpoints).size).toBe(4);
    await Promise.all([otherQueue.close(), otherTable.close()]);
    for (const endpoint of [otherQueue.endpoint, otherTable.endpoint]) {
      expect(await isListening('127.0.0.1', Number(new URL(endpoint).port))).toBe(false);
    }
  });

  it('R-1.11 the table expires what DynamoDB would: items whose time has passed, and none else', async () => {
    const { dynamodb, close } = createAwsClients({
      region: LOCAL_REGION,
      credentials: LOCAL_CREDENTIALS,
      endpoints: { dynamodb: table.endpoint },
      maxSockets: 4,
    });
    const put = (sk: string, expiresAt?: number) =>
      dynamodb.send(
        new PutItemCommand({
          TableName: table.tableName,
          Item: {
            pk: { S: 'p' },
            sk: { S: sk },
            ...(expiresAt !== undefined && { expiresAt: { N: String(expiresAt) } }),
          },
        }),
      );
    await Promise.all([put('over', 999), put('now', 1_000), put('later', 1_001), put('lasting')]);
    expect(await expireItems(dynamodb, table.tableName, 1_000_999)).toBe(1);
    const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName: table.tableName }));
    expect(Items.map(({ sk }) => sk?.S).sort()).toEqual(['lasting', 'later', 'now']);
    close();
  });

  it('R-5.5 a message that a long poll took after its client was gone is there for the next one at once', async () => {
    const { queueUrl } = await queue.createDelayQueue('left-behind', { visibilitySeconds: 600, maxReceiveCount: 10 });
    const { sqs, close } = createAwsClients({
      region: LOCAL_REGION,
      credentials: LOCAL_CREDENTIALS,
      endpoints: { sqs: queue.endpoint },
      maxSockets: 4,
    });
    const poll = new ReceiveMessageCommand({ QueueUrl: queueUrl, WaitTimeSeconds: 20 });
    const gone = new AbortController();
    const left = sqs.send(poll, { abortSignal: gone.signal });
    // When another request has been answered, the queue has processed earlier sends and aborts.
    const roundTrip = () => sqs.send(new GetQueueAttributesCommand({ QueueUrl: queueUrl }));
    await roundTrip();
    gone.abort();
    await expect(left).rejects.toThrow();
    await roundTrip();
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'kept' }));
    expect((await sqs.send(poll)).Messages?.map(({ Body }) => Body)).toEqual(['kept']);
    close();
  });
});
