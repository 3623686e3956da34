import { shardOf } from '../core/hash.ts';
import { parseObjectKey } from '../core/observation.ts';
import type { KindId } from '../core/resource-type.ts';
import { type Target, type TargetKey, targetId } from '../core/target.ts';
import type { FanoutKey } from '../ports/fanout-store.ts';
import type { DueHint, Edge, PollKey, ReadersPage } from '../ports/state-store.ts';

/*
 * The keys of the table. No cluster, kind, group or UID contains a '#'.
 *
 *   target      T#cluster#kind#shard    uid
 *   edge        D#cluster#kind#shard    namespace/name#cluster/kind/uid of the reader
 *   poll        P#cluster#group#kind    namespace/name
 *   fan-out     F#cluster#group#kind    namespace/name
 *   checkpoint  R#cluster#kind          checkpoint
 *   cluster     R#cluster               health
 *   failures    M#message               failures
 *   use         U                       cluster
 *
 * A change of any key, or of the number of shards, is another format of the state.
 */
export interface TableKey {
  readonly pk: string;
  readonly sk: string;
}

export function targetPartition(cluster: string, kind: KindId, shard: number): string {
  return `T#${cluster}#${kind}#${shard}`;
}

export function targetKey(target: TargetKey, shards: number): TableKey {
  return { pk: targetPartition(target.cluster, target.kind, shardOf(target.uid, shards)), sk: target.uid };
}

export function edgePartition(cluster: string, kind: KindId, shard: number): string {
  return `D#${cluster}#${kind}#${shard}`;
}

/**
 * The partition of the edges of one object (or of the lists of one namespace), and the prefix of their sort keys. Sort
 * keys are ordered by bytes, as the API server's keys `namespace/name` are. '#' and '*' come before every character of
 * a name. So the edges of an object come before those of an object with a longer name that starts with the same
 * characters.
 */
export function edgePrefix(cluster: string, key: string, shards: number): TableKey {
  const { kind, namespace, name } = parseObjectKey(key);
  return { pk: edgePartition(cluster, kind, shardOf(namespace, shards)), sk: `${namespace}/${name}#` };
}

/**
 * The partition of the edges of a page of readers, the prefix of their sort keys, and the sort key after which the page
 * starts.
 */
export function readersPrefix(
  cluster: string,
  key: string,
  { kind, after, next }: ReadersPage,
  shards: number,
): TableKey & { after?: string } {
  const { pk, sk } = edgePrefix(cluster, key, shards);
  const prefix = kind === undefined ? sk : `${sk}${cluster}/${kind}/`;
  const begin = next ?? (after === undefined ? undefined : sk + targetId(after));
  return { pk, sk: prefix, ...(begin !== undefined && { after: begin }) };
}

export function edgeKey(edge: Edge, shards: number): TableKey {
  const { pk, sk } = edgePrefix(edge.cluster, edge.key, shards);
  return { pk, sk: sk + targetId(edge.reader) };
}

/** The edge of a key, without the fields that only the item's attributes have. */
export function parseEdgeKey({ pk, sk }: TableKey): { cluster: string; key: string; reader: TargetKey } {
  const [, cluster = '', kind = ''] = pk.split('#');
  const cut = sk.lastIndexOf('#');
  const [readerCluster = '', readerKind = '', uid = ''] = sk.slice(cut + 1).split('/');
  return {
    cluster,
    key: `${kind}/${sk.slice(0, cut)}`,
    reader: { cluster: readerCluster, kind: readerKind, uid },
  };
}

export function pollKey(poll: PollKey): TableKey {
  return { pk: `P#${poll.cluster}#${poll.group}#${poll.kind}`, sk: `${poll.namespace}/${poll.name}` };
}

export function fanoutKey({ cluster, group, kind, namespace, name }: FanoutKey): TableKey {
  return { pk: `F#${cluster}#${group}#${kind}`, sk: `${namespace}/${name}` };
}

export function clusterKey(cluster: string): TableKey {
  return { pk: `R#${cluster}`, sk: 'health' };
}

export function checkpointKey(cluster: string, kind: KindId): TableKey {
  return { pk: `R#${cluster}#${kind}`, sk: 'checkpoint' };
}

/** One partition, so that the records of all clusters can be listed. They are few, and seldom written. */
export const USE_PARTITION = 'U';

export function clusterUseKey(cluster: string): TableKey {
  return { pk: USE_PARTITION, sk: cluster };
}

/** As long as SQS keeps a message. */
export const FAILURES_KEPT_MS = 14 * 24 * 3_600_000;

export function failuresKey(message: string): TableKey {
  return { pk: `M#${message}`, sk: 'failures' };
}

/** The partition of the index over timers that contains the timer of an item. */
export function dueShard({ sk }: TableKey, shards: number): number {
  return shardOf(sk, shards);
}

/** The meaning of a key in the index; undefined for a type of item that this release does not know. */
export function parseDueKey({ pk, sk }: TableKey, dueAtMs: number): DueHint | undefined {
  const [type, cluster = '', third = '', fourth = ''] = pk.split('#');
  if (type === 'T') return { type: 'target', target: { cluster, kind: third, uid: sk }, dueAtMs };
  if (type !== 'P') return undefined;
  const { namespace, name } = splitObjectName(sk);
  return { type: 'poll', poll: { cluster, group: third, kind: fourth, namespace, name }, dueAtMs };
}

/** `namespace/name`, with an empty namespace for cluster-scoped objects. */
export function joinObjectName({ namespace, name }: Pick<Target, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

export function splitObjectName(joined: string): { namespace: string; name: string } {
  const cut = joined.indexOf('/');
  return { namespace: joined.slice(0, cut), name: joined.slice(cut + 1) };
}
