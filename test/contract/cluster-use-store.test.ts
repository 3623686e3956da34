import { afterEach, describe, expect, it } from 'vitest';
import { createAwsClients } from '../../lib/adapters/aws/clients.ts';
import { DynamoDbClusterUseStore } from '../../lib/adapters/aws/dynamodb-cluster-use-store.ts';
import { DynamoDbTable } from '../../lib/adapters/aws/dynamodb-table.ts';
import { MemoryClusterUseStore } from '../../lib/adapters/memory/memory-cluster-use-store.ts';
import type { ClusterUse, ClusterUseStore } from '../../lib/ports/cluster-use-store.ts';
import { ManualClock } from '../../lib/testing/manual-clock.ts';
import { startEmbeddedTable } from '../support/emulators/embedded-table.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../support/emulators/local-account.ts';

const EAST: ClusterUse = {
  cluster: 'east',
  finalizers: { 'gateways.evenkeel.dev': ['evenkeel.dev/gateway'] },
  leases: ['evenkeel-control-plane'],
  schemas: { 'evenkeel.dev/v1alpha1': 'AB12' },
  release: '0.2.0',
  sinceMs: 1_000,
};
const FREE: ClusterUse = { ...EAST, cluster: 'free', finalizers: {}, leases: [], schemas: {} };

let cleanup = new AsyncDisposableStack();
afterEach(async () => {
  await cleanup.disposeAsync();
});

async function dynamoDb() {
  cleanup = new AsyncDisposableStack();
  const embedded = await startEmbeddedTable();
  cleanup.defer(() => embedded.close());
  const clients = createAwsClients({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoints: { dynamodb: embedded.endpoint },
    maxSockets: 4,
  });
  cleanup.defer(() => clients.close());
  return new DynamoDbTable({ client: clients.dynamodb, tableName: embedded.tableName, clock: new ManualClock() });
}

const STORES: [string, () => Promise<ClusterUseStore>][] = [
  ['MemoryClusterUseStore', async () => new MemoryClusterUseStore()],
  ['DynamoDbClusterUseStore', async () => new DynamoDbClusterUseStore(await dynamoDb())],
];

describe.each(STORES)('%s', (_name, open) => {
  it('R-6.8 the store returns each record as it was written, sorted by cluster, until it is forgotten', async () => {
    const store = await open();
    expect(await store.read('east')).toBeUndefined();
    expect(await store.list()).toEqual([]);
    expect(await store.record(FREE, 3)).toBe(true);
    expect(await store.record(EAST, 7)).toBe(true);
    expect(await store.read('east')).toEqual(EAST);
    expect(await store.list()).toEqual([EAST, FREE]);
    await store.forget('east');
    await store.forget('east');
    expect(await store.read('east')).toBeUndefined();
    expect(await store.list()).toEqual([FREE]);
  });

  it('R-6.8 the store keeps the record of a newer relay when a relay that lost its hold writes late', async () => {
    const store = await open();
    await store.record(EAST, 7);
    expect(await store.record({ ...EAST, finalizers: {}, leases: [] }, 6)).toBe(false);
    expect(await store.read('east')).toEqual(EAST);
    expect(await store.record({ ...EAST, leases: [] }, 7)).toBe(true);
    expect(await store.record({ ...EAST, finalizers: {} }, 8)).toBe(true);
    expect(await store.read('east')).toEqual({ ...EAST, finalizers: {} });
  });
});

describe('DynamoDbClusterUseStore', () => {
  it('R-6.8 R-5.19 a record shows the cluster as in use when a part of it cannot be read', async () => {
    const table = await dynamoDb();
    const store = new DynamoDbClusterUseStore(table);
    await store.record(FREE, 1);
    await store.record(EAST, 1);
    const key = { pk: 'U', sk: 'free' };
    await table.update({ key, update: 'SET leases = :rubbish', values: { ':rubbish': { S: '[' } } });
    expect(await store.list()).toEqual([EAST, { ...FREE, leases: ['unreadable'] }]);
    await table.update({ key, update: 'SET finalizers = :rubbish', values: { ':rubbish': { N: '5' } } });
    expect(await store.read('free')).toMatchObject({ finalizers: { unreadable: ['finalizers'] } });
  });
});
