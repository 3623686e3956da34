import { z } from 'zod';
import type { EdgeKey } from '../../core/observation.ts';
import type { KindId } from '../../core/resource-type.ts';
import type { Edge, EdgeStore, Page, ReadersPage } from '../../ports/state-store.ts';
import { edgeKey, edgePartition, joinObjectName, parseEdgeKey, readersPrefix, splitObjectName } from '../state-keys.ts';
import { type ItemTable, type ListedItem, type PageQuery, parseBody, type StoredItem } from './item-table.ts';

/**
 * The item of an edge: the epoch of the pass that wrote it, and the reader's namespace/name. All other fields are in
 * its key.
 */
const documentSchema = z.looseObject({ epoch: z.number(), readerName: z.string() });

export class SqliteEdgeStore implements EdgeStore {
  readonly #items: ItemTable;
  readonly #shards: number;

  constructor(items: ItemTable, shards: number) {
    this.#items = items;
    this.#shards = shards;
  }

  putEdge(edge: Edge): Promise<boolean> {
    return this.#items.connection.write(() => {
      const key = edgeKey(edge, this.#shards);
      const before = this.#items.find(key);
      const refused = epochOf(before) > edge.epoch;
      this.#items.onRequest('dynamodb', 'UpdateItem', { refused });
      if (refused) return false;
      this.#items.put(key, before, { body: { epoch: edge.epoch, readerName: joinObjectName(edge.reader) } });
      return true;
    });
  }

  deleteEdge(edge: Edge): Promise<void> {
    return this.#items.connection.write(() => {
      const key = edgeKey(edge, this.#shards);
      const refused = epochOf(this.#items.find(key)) > edge.epoch;
      this.#items.onRequest('dynamodb', 'DeleteItem', { refused });
      if (!refused) this.#items.remove(key);
    });
  }

  readers(cluster: string, key: EdgeKey, page: ReadersPage = {}): Promise<Page<Edge>> {
    const { pk, sk, after } = readersPrefix(cluster, key, page, this.#shards);
    return this.#page(pk, { prefix: sk, after, limit: page.limit });
  }

  edges(cluster: string, kind: KindId, shard: number, after?: string): Promise<Page<Edge>> {
    return this.#page(edgePartition(cluster, kind, shard), { after });
  }

  #page(pk: string, query: PageQuery): Promise<Page<Edge>> {
    return this.#items.connection.read(() => {
      this.#items.onRequest('dynamodb', 'Query', {});
      const { items, ...rest } = this.#items.page(pk, query);
      return { items: items.flatMap((item) => edgeOf(pk, item)), ...rest };
    });
  }
}

/** An unreadable edge counts as older than any pass: the next pass that reads the object writes it again. */
function epochOf(item: StoredItem | undefined): number {
  return item === undefined ? 0 : (documentOf(item)?.epoch ?? 0);
}

/**
 * Empty for an item whose key names no reader, because there is no object to start a pass of. An edge with an
 * unreadable body still starts a pass of its reader.
 */
function edgeOf(pk: string, item: ListedItem): Edge[] {
  const { cluster, key, reader } = parseEdgeKey({ pk, sk: item.sk });
  if (cluster === '' || reader.cluster === '' || reader.kind === '' || reader.uid === '') return [];
  const document = documentOf(item);
  const named = { ...reader, ...splitObjectName(document?.readerName ?? '/') };
  return [{ cluster, key, reader: named, epoch: document?.epoch ?? 0 }];
}

function documentOf(item: StoredItem): z.infer<typeof documentSchema> | undefined {
  try {
    return parseBody(documentSchema, item);
  } catch {
    return undefined;
  }
}
