import { didYouMean } from '../../lib/deployment/suggestion/closest-word.ts';
import type { ClusterStore } from '../../lib/ports/state-store.ts';
import { UsageError } from '../usage-error.ts';

/** Sources of the names of known clusters. */
export interface ClusterSource {
  readonly store: Pick<ClusterStore, 'readCluster'>;
  /** The clusters in the list of the installation. */
  listed(): Promise<readonly string[]>;
  /** The name of the list's owner, e.g. `stage prod`. */
  readonly where: string;
}

/**
 * Refuses an unknown cluster name, because its empty state looks like an idle cluster. The table knows each cluster
 * that a function connected to, so for these the list need not be readable.
 * @throws UsageError with the known names.
 */
export async function checkCluster(name: string, { store, listed, where }: ClusterSource): Promise<void> {
  const { clusterUid, relay } = await store.readCluster(name);
  if (clusterUid === undefined && relay === undefined) refuseUnknownCluster(name, await listed(), where);
}

/** @throws UsageError with the known names, when `name` is not one of them. */
export function refuseUnknownCluster(name: string, known: readonly string[], where: string): void {
  if (known.includes(name)) return;
  const there = known.length === 0 ? 'Name one that it knows' : `It has: ${[...known].sort().join(', ')}. Name one`;
  throw new UsageError(`${where} has no cluster "${name}".${didYouMean(name, known)} ${there} with --cluster.`);
}
