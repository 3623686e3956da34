import { createAwsClients } from '../../lib/adapters/aws/clients.ts';
import { DynamoDbStateStore } from '../../lib/adapters/aws/dynamodb-state-store.ts';
import { MemoryStateStore } from '../../lib/adapters/memory/memory-state-store.ts';
import type { OnRequest } from '../../lib/adapters/request-observer.ts';
import { ManualClock } from '../../lib/testing/manual-clock.ts';
import { openTestState } from '../adapters/sqlite/test-state.ts';
import { startEmbeddedTable } from '../support/emulators/embedded-table.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../support/emulators/local-account.ts';
import { startOldItemProxy } from '../support/old-item-proxy.ts';
import type { CountedRequest, StateStoreSubject } from './state-store/subject.ts';
import { describeStateStore } from './state-store.contract.ts';

const SHARDS = 4;

function countRequests(): { requests: CountedRequest[]; onRequest: OnRequest } {
  const requests: CountedRequest[] = [];
  return { requests, onRequest: (_service, operation, detail) => requests.push({ operation, ...detail }) };
}

describeStateStore('MemoryStateStore', async () => {
  const { requests, onRequest } = countRequests();
  const store = new MemoryStateStore({ clock: new ManualClock(), shards: SHARDS, pageSize: 7, onRequest });
  return { store, requests, returnsRefusing: true, close: async () => {} };
});

describeStateStore('SqliteStateStore', async () => {
  const { requests, onRequest } = countRequests();
  const { state, close } = await openTestState({ clock: new ManualClock(), shards: SHARDS, onRequest });
  return { store: state.store, requests, returnsRefusing: true, close };
});

describeStateStore('DynamoDbStateStore on dynalite', async () => {
  const table = await startEmbeddedTable();
  return dynamoDb(table.endpoint, table.tableName, false, () => table.close());
});

describeStateStore('DynamoDbStateStore on a table that returns what refused a write', async () => {
  const table = await startEmbeddedTable();
  const proxy = await startOldItemProxy(table.endpoint);
  return dynamoDb(proxy.endpoint, table.tableName, true, async () => {
    await proxy.close();
    await table.close();
  });
});

function dynamoDb(
  endpoint: string,
  tableName: string,
  returnsRefusing: boolean,
  close: () => Promise<unknown>,
): StateStoreSubject {
  const { requests, onRequest } = countRequests();
  const clients = createAwsClients({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoints: { dynamodb: endpoint },
    maxSockets: 16,
  });
  const store = new DynamoDbStateStore({
    client: clients.dynamodb,
    tableName,
    clock: new ManualClock(),
    shards: SHARDS,
    onRequest,
  });
  return {
    store,
    requests,
    returnsRefusing,
    async close() {
      clients.close();
      await close();
    },
  };
}
