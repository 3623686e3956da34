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
  /** The epoch of the pass that wrote it. */
  readonly epoch: number;
}

/** Selects a page of the readers of a key. Default: the first page, of the size that the table returns at once. */
export interface ReadersPage {
  /** Only readers of this kind. */
  readonly kind?: KindId;
  /** Only readers after this one, even if this one has no edge any more. */
  readonly after?: TargetKey;
  /** Continues after an earlier page of the same key, with the `next` of that page. Has priority over `after`. */
  readonly next?: string;
  readonly limit?: number;
}

export interface EdgeStore {
  /** @returns false when the same reader has written it with a newer epoch: the lease is lost. */
  putEdge(edge: Edge): Promise<boolean>;
  /** Deletes the edge unless its epoch is newer than this one's. An absent edge is not an error. */
  deleteEdge(edge: Edge): Promise<void>;
  /** A page of the readers of exactly this key, ordered by cluster, kind and UID. */
  readers(cluster: string, key: EdgeKey, page?: ReadersPage): Promise<Page<Edge>>;
  /**
   * All edges of a kind in one shard (a namespace is in the shard `shardOf(namespace, shards)`), in the API server's
   * key order: by the bytes of `namespace/name`. The list edges of a namespace come before its edges by name.
   */
  edges(cluster: string, kind: KindId, shard: number, after?: string): Promise<Page<Edge>>;
}
