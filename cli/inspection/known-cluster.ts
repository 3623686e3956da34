import { didYouMean } from '../../lib/deployment/suggestion/closest-word.ts';
import type { ClusterStore } from '../../lib/ports/state-store.ts';
import { UsageError } from '../usage-error.ts';

/** Where a cluster may be known. */
export interface ClusterSource {
  readonly store: Pick<ClusterStore, 'readCluster'>;
  /** The clusters that the installation is told to reconcile. */
  listed(): Promise<readonly string[]>;
  /** What the clusters belong to, e.g. `stage prod`. */
  readonly where: string;
}

/**
 * Refuse an unknown cluster name: its empty state looks like an idle cluster.
 * The table knows each cluster that a function reached, so that its list need not be readable for it.
 * @throws UsageError naming the clusters that there are.
 */
export async function checkCluster(name: string, { store, listed, where }: ClusterSource): Promise<void> {
  const { clusterUid, relay } = await store.readCluster(name);
  if (clusterUid === undefined && relay === undefined) refuseUnknownCluster(name, await listed(), where);
}

/** @throws UsageError naming the clusters that there are, where `name` is none of them. */
export function refuseUnknownCluster(name: string, known: readonly string[], where: string): void {
  if (known.includes(name)) return;
  const there = known.length === 0 ? 'Name one that it knows' : `It has: ${[...known].sort().join(', ')}. Name one`;
  throw new UsageError(`${where} has no cluster "${name}".${didYouMean(name, known)} ${there} with --cluster.`);
}
