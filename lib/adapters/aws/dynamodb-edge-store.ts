import type { EdgeKey } from '../../core/observation.ts';
import type { KindId } from '../../core/resource-type.ts';
import type { Edge, EdgeStore, Page, ReadersPage } from '../../ports/state-store.ts';
import { edgeKey, edgePartition, joinObjectName, parseEdgeKey, readersPrefix, splitObjectName } from '../state-keys.ts';
import { type Item, number, text } from './attribute-values.ts';
import { type DynamoDbTable, tableKey, wireKey } from './dynamodb-table.ts';

/**
 * Prevents a pass that was stopped for long from lowering the epoch of an edge of a later pass, and from deleting that
 * edge.
 */
const NOT_NEWER = '(attribute_not_exists(epoch) OR epoch <= :epoch)';

/** Attributes of an edge: epoch, and readerName, the reader's namespace/name. Everything else is in its key. */
export class DynamoDbEdgeStore implements EdgeStore {
  readonly #table: DynamoDbTable;
  readonly #shards: number;

  constructor(table: DynamoDbTable, shards: number) {
    this.#table = table;
    this.#shards = shards;
  }

  async putEdge(edge: Edge): Promise<boolean> {
    const result = await this.#table.update({
      key: edgeKey(edge, this.#shards),
      update: 'SET epoch = :epoch, readerName = :readerName',
      condition: NOT_NEWER,
      values: { ':epoch': number(edge.epoch), ':readerName': text(joinObjectName(edge.reader)) },
    });
    return result.accepted;
  }

  async deleteEdge(edge: Edge): Promise<void> {
    const values = { ':epoch': number(edge.epoch) };
    await this.#table.delete({ key: edgeKey(edge, this.#shards), condition: NOT_NEWER, values });
  }

  async readers(cluster: string, key: EdgeKey, page: ReadersPage = {}): Promise<Page<Edge>> {
    const { pk, sk, after } = readersPrefix(cluster, key, page, this.#shards);
    return await this.#page({
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': text(pk), ':prefix': text(sk) },
      ExclusiveStartKey: after === undefined ? undefined : wireKey({ pk, sk: after }),
      Limit: page.limit,
    });
  }

  async edges(cluster: string, kind: KindId, shard: number, after?: string): Promise<Page<Edge>> {
    const pk = edgePartition(cluster, kind, shard);
    return await this.#page({
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': text(pk) },
      ExclusiveStartKey: after === undefined ? undefined : wireKey({ pk, sk: after }),
    });
  }

  async #page(query: Parameters<DynamoDbTable['query']>[0]): Promise<Page<Edge>> {
    const { items, last } = await this.#table.query({ ...query, ConsistentRead: true });
    const edges = items.flatMap(readEdge);
    return last === undefined ? { items: edges } : { items: edges, next: tableKey(last).sk };
  }
}

/**
 * Empty for an item whose key names no reader, because there is no object to start a pass of. Any other fault of an
 * edge does not prevent the event: the epoch only decides who may delete the edge, and an event without a name becomes
 * a dead letter.
 */
function readEdge(item: Item): Edge[] {
  const { cluster, key, reader } = parseEdgeKey(tableKey(item));
  if (cluster === '' || reader.cluster === '' || reader.kind === '' || reader.uid === '') return [];
  const named = { ...reader, ...splitObjectName(item.readerName?.S ?? '/') };
  return [{ cluster, key, reader: named, epoch: Number(item.epoch?.N ?? 0) }];
}
