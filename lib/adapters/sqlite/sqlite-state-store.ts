import { ComposedStateStore } from '../composed-state-store.ts';
import type { ItemTable } from './item-table.ts';
import { SqliteClusterStore } from './sqlite-cluster-store.ts';
import { SqliteEdgeStore } from './sqlite-edge-store.ts';
import { SqliteFanoutStore } from './sqlite-fanout-store.ts';
import { SqliteMessageFailures } from './sqlite-message-failures.ts';
import { SqlitePollStore } from './sqlite-poll-store.ts';
import { SqliteTargetStore } from './sqlite-target-store.ts';

/** The state in the table `item` of a state file. state-keys.ts describes the keys. */
export class SqliteStateStore extends ComposedStateStore {
  constructor(items: ItemTable, shards: number) {
    super({
      targets: new SqliteTargetStore(items, shards),
      edges: new SqliteEdgeStore(items, shards),
      polls: new SqlitePollStore(items, shards),
      fanouts: new SqliteFanoutStore(items),
      clusters: new SqliteClusterStore(items),
      failures: new SqliteMessageFailures(items),
    });
  }
}
