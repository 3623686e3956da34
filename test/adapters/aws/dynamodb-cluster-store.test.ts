import { GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AwsClients, createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { DynamoDbStateStore } from '../../../lib/adapters/aws/dynamodb-state-store.ts';
import { clusterKey } from '../../../lib/adapters/state-keys.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../support/emulators/embedded-table.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../support/emulators/local-account.ts';

const NOW = 1_750_000_000_000;

let table: EmbeddedTable;
let clients: AwsClients;
let store: DynamoDbStateStore;

beforeAll(async () => {
  table = await startEmbeddedTable({ tableName: 'state' });
  clients = createAwsClients({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoints: { dynamodb: table.endpoint },
    maxSockets: 4,
  });
  store = new DynamoDbStateStore({
    client: clients.dynamodb,
    tableName: 'state',
    clock: new ManualClock(),
    shards: 1,
  });
});

afterAll(async () => {
  clients.close();
  await table.close();
});

function keyOf(cluster: string) {
  const { pk, sk } = clusterKey(cluster);
  return { pk: { S: pk }, sk: { S: sk } };
}

/** The items of a cluster whose counter release 0.1 had raised. They never change. */
async function putClusterOf01(cluster: string): Promise<void> {
  const attributes = {
    incarnation: { N: '2' },
    restoreCounter: { N: '7' },
    relayOwner: { S: 'relay-1' },
    relayUntil: { N: String(NOW) },
    relayEpoch: { N: '1750000000000' },
  };
  const Item = { ...keyOf(cluster), ...attributes };
  await clients.dynamodb.send(new PutItemCommand({ TableName: 'state', Item }));
}

/** Raises the counter like release 0.1. */
async function raiseAs01(cluster: string): Promise<void> {
  const command = new UpdateItemCommand({
    TableName: 'state',
    Key: keyOf(cluster),
    UpdateExpression: 'SET restoreCounter = if_not_exists(restoreCounter, :zero) + :one',
    ExpressionAttributeValues: { ':zero': { N: '0' }, ':one': { N: '1' } },
  });
  await clients.dynamodb.send(command);
}

const counters = async (cluster: string) => {
  const { restoreCounter, restoreCounterSeen } = await store.readCluster(cluster);
  return [restoreCounter, restoreCounterSeen];
};

describe('the restore counter as other releases see it', () => {
  it('R-6.8 a count of release 0.1, which did not record what the cluster shows, must be shown', async () => {
    await putClusterOf01('old');
    expect(await counters('old')).toEqual([7, 7]);
    const over = (await store.readCluster('old')).relay;
    const epoch = (await store.holdRelay('old', 'relay-2', NOW + 1, NOW + 2, over)) ?? 0;
    expect(await store.recordRestoreCounter('old', epoch, 6)).toBe(true);
    expect(await counters('old')).toEqual([7, 6]);
  });

  it('R-6.8 R-1.29 a hold of release 0.1, which counts no renewals, is taken only when it was not renewed since it was read', async () => {
    await putClusterOf01('held');
    const seen = (await store.readCluster('held')).relay;
    expect(seen).toMatchObject({ renewals: 0 });
    const before = seen && { ...seen, untilMs: seen.untilMs - 10_000 };
    expect(await store.holdRelay('held', 'relay-2', NOW, NOW + 2, before)).toBeUndefined();
    expect(await store.holdRelay('held', 'relay-2', NOW, NOW + 2, seen)).toBeGreaterThan(seen?.epoch ?? 0);
  });

  it('R-6.8 a raise by release 0.1 in between must be shown too, and 0.1 reads the counter in its place', async () => {
    await putClusterOf01('mixed');
    const over = (await store.readCluster('mixed')).relay;
    const epoch = (await store.holdRelay('mixed', 'relay-2', NOW + 1, NOW + 2, over)) ?? 0;
    expect(await store.raiseRestoreCounter('mixed', epoch, 7)).toBe(8);
    expect(await counters('mixed')).toEqual([8, 7]);
    const { Item } = await clients.dynamodb.send(new GetItemCommand({ TableName: 'state', Key: keyOf('mixed') }));
    expect(Item).toMatchObject({ restoreCounter: { N: '8' }, incarnation: { N: '2' } });
    await raiseAs01('mixed');
    expect(await counters('mixed')).toEqual([9, 9]);
    expect(await store.raiseRestoreCounter('mixed', epoch, 9)).toBe(10);
    expect(await counters('mixed')).toEqual([10, 9]);
  });
});
