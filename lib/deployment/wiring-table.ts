import { DynamoDbClusterUseStore } from '../adapters/aws/dynamodb-cluster-use-store.ts';
import { DynamoDbStateStore } from '../adapters/aws/dynamodb-state-store.ts';
import { DynamoDbTable, type DynamoDbTableOptions } from '../adapters/aws/dynamodb-table.ts';
import { TABLE_SHARDS } from './installation/resource-names.ts';

/** Opens the one table of a deployment: the state of the engine, and the records of what clusters have of the deployment. */
export function openTable(options: DynamoDbTableOptions) {
  return {
    store: new DynamoDbStateStore({ ...options, shards: TABLE_SHARDS }),
    uses: new DynamoDbClusterUseStore(new DynamoDbTable(options)),
  };
}
