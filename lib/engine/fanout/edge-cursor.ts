import { shardOf } from '../../core/hash.ts';
import { type EdgeKey, parseObjectKey } from '../../core/observation.ts';
import type { KindId } from '../../core/resource-type.ts';
import type { Edge, EdgeStore, TargetStore } from '../../ports/state-store.ts';

/**
 * `namespace/name`. The API server orders a list by the bytes of this text, and the table orders the edges of a kind in
 * the same way.
 */
export function positionOf({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}

/** The position of an edge among the objects of a list. */
function edgePosition(key: EdgeKey): string {
  return positionOf(parseObjectKey(key));
}

/** Whether the edge is for a list, not for an object by name. */
export function isListEdge(key: EdgeKey): boolean {
  return key.endsWith('/*');
}

/**
 * All edges of a kind in key order. The shards are read a page at a time and merged, so memory does not grow with the
 * number of edges.
 */
export class EdgeCursor {
  readonly #shards: readonly ShardEdges[];

  /** @param namespace empty for all namespaces; otherwise only the shard of the namespace is read. */
  constructor(store: EdgeStore & Pick<TargetStore, 'shards'>, cluster: string, kind: KindId, namespace: string) {
    const numbers =
      namespace === '' ? Array.from({ length: store.shards }, (_, shard) => shard) : [shardOf(namespace, store.shards)];
    this.#shards = numbers.map((shard) => new ShardEdges(store, cluster, kind, shard, namespace));
  }

  /** Returns the next edge if it is at the position or before it. Without a position, returns the next edge. */
  async takeUpTo(position?: string): Promise<Edge | undefined> {
    const next = await this.#first();
    if (next === undefined || (position !== undefined && next.position > position)) return undefined;
    next.shard.shift();
    return next.edge;
  }

  async #first(): Promise<{ shard: ShardEdges; edge: Edge; position: string } | undefined> {
    const heads = await Promise.all(this.#shards.map(async (shard) => ({ shard, edge: await shard.head() })));
    let first: { shard: ShardEdges; edge: Edge; position: string } | undefined;
    for (const { shard, edge } of heads) {
      if (edge === undefined) continue;
      const position = edgePosition(edge.key);
      if (first === undefined || position < first.position) first = { shard, edge, position };
    }
    return first;
  }
}

class ShardEdges {
  readonly #page: (after?: string) => ReturnType<EdgeStore['edges']>;
  readonly #namespace: string;
  #items: readonly Edge[] = [];
  #index = 0;
  #after: string | undefined;
  #ended = false;

  constructor(store: EdgeStore, cluster: string, kind: KindId, shard: number, namespace: string) {
    this.#page = (after) => store.edges(cluster, kind, shard, after);
    this.#namespace = namespace;
  }

  async head(): Promise<Edge | undefined> {
    for (;;) {
      const edge = this.#items[this.#index];
      if (edge !== undefined) {
        if (this.#namespace === '' || parseObjectKey(edge.key).namespace === this.#namespace) return edge;
        this.#index += 1;
      } else if (this.#ended) {
        return undefined;
      } else {
        const { items, next } = await this.#page(this.#after);
        this.#items = items;
        this.#index = 0;
        this.#after = next;
        this.#ended = next === undefined;
      }
    }
  }

  shift(): void {
    this.#index += 1;
  }
}
