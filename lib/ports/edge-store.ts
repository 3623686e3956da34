import type { EdgeKey } from '../core/observation.ts';
import type { KindId } from '../core/resource-type.ts';
import type { Target, TargetKey } from '../core/target.ts';
import type { Page } from './page.ts';

/** Who read or listed an object. */
export interface Edge {
  readonly cluster: string;
  /** The object's or the list's key. */
  readonly key: EdgeKey;
  readonly reader: Target;
  /** Of the pass that asserted it. */
  readonly epoch: number;
}

/** Which readers of a key a page holds; the first of them by default, as many as the table gives at once. */
export interface ReadersPage {
  /** Only readers of this kind. */
  readonly kind?: KindId;
  /** Only those behind this reader, whether or not it still has an edge. */
  readonly after?: TargetKey;
  /** Goes on where an earlier page of the same key ended: its `next`. Goes before `after`. */
  readonly next?: string;
  readonly limit?: number;
}

export interface EdgeStore {
  /** @returns false when a newer epoch of the same reader asserts it: the lease is lost. */
  putEdge(edge: Edge): Promise<boolean>;
  /** Deletes the edge unless its epoch is newer than this one's. Absent is fine. */
  deleteEdge(edge: Edge): Promise<void>;
  /** A page of the readers of exactly this key, ordered by cluster, kind and UID. */
  readers(cluster: string, key: EdgeKey, page?: ReadersPage): Promise<Page<Edge>>;
  /**
   * All edges of a kind in one shard (a namespace lies in the shard `shardOf(namespace, shards)`), in the API server's key
   * order: by the bytes of `namespace/name`; list edges come before the named ones of their namespace.
   */
  edges(cluster: string, kind: KindId, shard: number, after?: string): Promise<Page<Edge>>;
}
