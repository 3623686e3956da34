import type { EdgeKey } from '../../core/observation.ts';
import type { KindId } from '../../core/resource-type.ts';
import type { Edge, EdgeStore, Page, ReadersPage } from '../../ports/state-store.ts';
import { edgeKey, edgePartition, readersPrefix } from '../state-keys.ts';
import type { MemoryTableOptions } from './memory-target-store.ts';
import { Partitions } from './partitions.ts';

export class MemoryEdgeStore implements EdgeStore {
  readonly #table: MemoryTableOptions;
  readonly #items = new Partitions<Edge>();

  constructor(table: MemoryTableOptions) {
    this.#table = table;
  }

  async putEdge(edge: Edge): Promise<boolean> {
    const key = edgeKey(edge, this.#table.shards);
    const refused = (this.#items.get(key)?.epoch ?? edge.epoch) > edge.epoch;
    this.#table.onRequest('dynamodb', 'UpdateItem', { refused });
    if (refused) return false;
    this.#items.set(key, Object.freeze({ ...edge, reader: Object.freeze({ ...edge.reader }) }));
    return true;
  }

  async deleteEdge(edge: Edge): Promise<void> {
    const key = edgeKey(edge, this.#table.shards);
    const refused = (this.#items.get(key)?.epoch ?? edge.epoch) > edge.epoch;
    this.#table.onRequest('dynamodb', 'DeleteItem', { refused });
    if (!refused) this.#items.delete(key);
  }

  async readers(cluster: string, key: EdgeKey, page: ReadersPage = {}): Promise<Page<Edge>> {
    this.#table.onRequest('dynamodb', 'Query', {});
    const { pk, sk, after } = readersPrefix(cluster, key, page, this.#table.shards);
    const limit = page.limit ?? Number.POSITIVE_INFINITY;
    return this.#items.page(pk, { prefix: sk, limit, ...(after !== undefined && { after }) });
  }

  async edges(cluster: string, kind: KindId, shard: number, after?: string): Promise<Page<Edge>> {
    this.#table.onRequest('dynamodb', 'Query', {});
    const query = { ...(after !== undefined && { after }), limit: this.#table.pageSize };
    return this.#items.page(edgePartition(cluster, kind, shard), query);
  }

  /** All edges, for checks of invariants. */
  all(): Iterable<Edge> {
    return this.#items.all();
  }

  /** As Partitions.backUp. */
  backUp(): () => void {
    return this.#items.backUp();
  }
}
