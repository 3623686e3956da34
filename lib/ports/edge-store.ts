import type { EdgeKey } from '../core/observation.ts';
import type { KindId } from '../core/resource-type.ts';
import type { Target, TargetKey } from '../core/target.ts';
import type { Page } from './page.ts';

/** A dependency in the table: this reader read or listed this object. */
export interface Edge {
  readonly cluster: string;
  /** The object's or the list's key. */
  readonly key: EdgeKey;
  readonly reader: Target;
  /** Of the pass that asserted it. */
  readonly epoch: number;
}

/** Selects a page of the readers of a key. Default: the first page, as large as the table returns at once. */
export interface ReadersPage {
  /** Only readers of this kind. */
  readonly kind?: KindId;
  /** Only those after this reader, whether or not it still has an edge. */
  readonly after?: TargetKey;
  /** Continues where an earlier page of the same key ended: its `next`. Has priority over `after`. */
  readonly next?: string;
  readonly limit?: number;
}

export interface EdgeStore {
  /** @returns false when a newer epoch of the same reader asserts it: the lease is lost. */
  putEdge(edge: Edge): Promise<boolean>;
  /** Deletes the edge unless its epoch is newer than this one's. No error if it is absent. */
  deleteEdge(edge: Edge): Promise<void>;
  /** A page of the readers of exactly this key, ordered by cluster, kind and UID. */
  readers(cluster: string, key: EdgeKey, page?: ReadersPage): Promise<Page<Edge>>;
  /**
   * All edges of a kind in one shard (a namespace lies in the shard `shardOf(namespace, shards)`), in the API server's key
   * order: by the bytes of `namespace/name`; list edges come before the named ones of their namespace.
   */
  edges(cluster: string, kind: KindId, shard: number, after?: string): Promise<Page<Edge>>;
}
