import { ComposedStateStore } from '../composed-state-store.ts';
import { DynamoDbClusterStore } from './dynamodb-cluster-store.ts';
import { DynamoDbEdgeStore } from './dynamodb-edge-store.ts';
import { DynamoDbFanoutStore } from './dynamodb-fanout-store.ts';
import { DynamoDbMessageFailures } from './dynamodb-message-failures.ts';
import { DynamoDbPollStore } from './dynamodb-poll-store.ts';
import { DynamoDbTable, type DynamoDbTableOptions } from './dynamodb-table.ts';
import { DynamoDbTargetStore } from './dynamodb-target-store.ts';

export interface DynamoDbStateStoreOptions extends DynamoDbTableOptions {
  /** Never changes in the life of a table, because keys depend on it. */
  readonly shards: number;
}

/** The state in one DynamoDB table; state-keys.ts describes its layout. */
export class DynamoDbStateStore extends ComposedStateStore {
  constructor({ shards, ...options }: DynamoDbStateStoreOptions) {
    const table = new DynamoDbTable(options);
    super({
      targets: new DynamoDbTargetStore(table, shards),
      edges: new DynamoDbEdgeStore(table, shards),
      polls: new DynamoDbPollStore(table, shards),
      fanouts: new DynamoDbFanoutStore(table),
      clusters: new DynamoDbClusterStore(table),
      failures: new DynamoDbMessageFailures(table),
    });
  }
}
