import { createAwsClients } from '../../lib/adapters/aws/clients.ts';
import { DynamoDbStateStore } from '../../lib/adapters/aws/dynamodb-state-store.ts';
import { MemoryStateStore } from '../../lib/adapters/memory/memory-state-store.ts';
import { ManualClock } from '../../lib/testing/manual-clock.ts';
import { openTestState } from '../adapters/sqlite/test-state.ts';
import { startEmbeddedTable } from '../support/emulators/embedded-table.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../support/emulators/local-account.ts';
import { describeTransfer, type OpenedStore } from './transfer.contract.ts';

async function memory(): Promise<OpenedStore> {
  return { store: new MemoryStateStore({ clock: new ManualClock(), shards: 3, pageSize: 2 }), close: async () => {} };
}

async function sqlite(): Promise<OpenedStore> {
  const { state, close } = await openTestState({ clock: new ManualClock(), shards: 4 });
  return { store: state.store, close };
}

async function dynamoDb(): Promise<OpenedStore> {
  const table = await startEmbeddedTable();
  const clients = createAwsClients({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoints: { dynamodb: table.endpoint },
    maxSockets: 16,
  });
  const { tableName } = table;
  const store = new DynamoDbStateStore({ client: clients.dynamodb, tableName, clock: new ManualClock(), shards: 2 });
  return {
    store,
    async close() {
      clients.close();
      await table.close();
    },
  };
}

describeTransfer('an export of SQLite, imported into DynamoDB', sqlite, dynamoDb);
describeTransfer('an export of DynamoDB, imported into SQLite', dynamoDb, sqlite);
describeTransfer('an export of one table in memory, imported into another one', memory, memory);
