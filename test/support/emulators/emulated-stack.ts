import { createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { DynamoDbStateStore } from '../../../lib/adapters/aws/dynamodb-state-store.ts';
import { SqsDelayQueue } from '../../../lib/adapters/aws/sqs-delay-queue.ts';
import { SqsFifoQueue } from '../../../lib/adapters/aws/sqs-fifo-queue.ts';
import { newToken } from '../../../lib/adapters/system/new-token.ts';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import type { InstallationPorts, InstalledQueues } from '../../../lib/deployment/installation/installation.ts';
import {
  LOCAL_STAGE,
  queueName,
  TABLE_SHARDS,
  tableName,
  wakeQueueName,
} from '../../../lib/deployment/installation/resource-names.ts';
import { MAX_RECEIVE_COUNT } from '../../../lib/ports/queue.ts';
import { type EmbeddedQueue, type QueueUrls, startEmbeddedQueue } from './embedded-queue.ts';
import { startEmbeddedTable } from './embedded-table.ts';
import { LOCAL_REGION, localCredentials } from './local-account.ts';

/** Parallel requests to each service, including the long polls of a few queues. */
const SOCKETS = 64;

/** Emulators of SQS and DynamoDB in this process, which the adapters for AWS reach over HTTP. */
export interface EmulatedStack {
  /** The access key that they require. */
  readonly token: string;
  readonly queue: {
    readonly endpoint: string;
    readonly groups: Readonly<Record<string, { readonly events: QueueUrls; readonly resync: QueueUrls }>>;
    readonly wakes: QueueUrls;
  };
  readonly table: { readonly endpoint: string; readonly name: string };
  close(): Promise<void>;
}

export type StackPorts = Pick<InstallationPorts, 'store' | 'queues' | 'wakes'> & { close(): void };

/** @param stage is a part of the names of table and queues. */
export async function startEmulatedStack({
  groups,
  visibilityMs,
  stage = LOCAL_STAGE,
}: {
  readonly groups: readonly string[];
  readonly visibilityMs: number;
  readonly stage?: string;
}): Promise<EmulatedStack> {
  await using started = new AsyncDisposableStack();
  const token = newToken();
  const queue = await startEmbeddedQueue({ token });
  started.defer(() => queue.close());
  const table = await startEmbeddedTable({ tableName: tableName(stage), token });
  started.defer(() => table.close());
  const queues = await createQueues(queue, groups, visibilityMs, stage);
  const running = started.move();
  return {
    token,
    queue: queues,
    table: { endpoint: table.endpoint, name: table.tableName },
    close: () => running.disposeAsync(),
  };
}

/** The same adapters that a deployment in the cloud uses. */
export function connectEmulators({
  queue,
  table,
  token,
}: Pick<EmulatedStack, 'queue' | 'table' | 'token'>): StackPorts {
  const { dynamodb, sqs, close } = createAwsClients({
    region: LOCAL_REGION,
    credentials: localCredentials(token),
    endpoints: { dynamodb: table.endpoint, sqs: queue.endpoint },
    maxSockets: SOCKETS,
  });
  const clock = new SystemClock();
  const fifo = (urls: QueueUrls) => new SqsFifoQueue({ client: sqs, clock, ...urls });
  const queues = Object.entries(queue.groups).map(([group, { events, resync }]) => [
    group,
    { events: fifo(events), resync: fifo(resync) },
  ]);
  return {
    store: new DynamoDbStateStore({ client: dynamodb, tableName: table.name, shards: TABLE_SHARDS, clock }),
    queues: Object.fromEntries(queues) as InstalledQueues,
    wakes: new SqsDelayQueue({ client: sqs, clock, queueUrl: queue.wakes.queueUrl }),
    close,
  };
}

async function createQueues(
  queue: EmbeddedQueue,
  groups: readonly string[],
  visibilityMs: number,
  stage: string,
): Promise<EmulatedStack['queue']> {
  const redrive = { visibilitySeconds: Math.ceil(visibilityMs / 1_000), maxReceiveCount: MAX_RECEIVE_COUNT };
  const byGroup: Record<string, { events: QueueUrls; resync: QueueUrls }> = {};
  for (const group of groups) {
    byGroup[group] = {
      events: await queue.createFifoQueue(queueName(stage, group, 'events'), redrive),
      resync: await queue.createFifoQueue(queueName(stage, group, 'resync'), redrive),
    };
  }
  return {
    endpoint: queue.endpoint,
    groups: byGroup,
    wakes: await queue.createDelayQueue(wakeQueueName(stage), redrive),
  };
}
