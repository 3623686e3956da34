import { EvenkeelError } from '../../core/errors.ts';
import { Namespaces } from '../../core/resource-type.ts';
import type { CallOptions, ClusterApi } from '../../ports/cluster-api.ts';

/** The cluster's identity: the UID of its namespace kube-system, which lives as long as the cluster. @throws ApiError */
export async function readClusterIdentity(api: ClusterApi, options: CallOptions = {}): Promise<string> {
  const namespace = await api.get(
    Namespaces,
    { namespace: '', name: 'kube-system' },
    { ...options, metadataOnly: true },
  );
  return namespace.metadata.uid;
}

/**
 * Makes sure that the endpoint still leads to the cluster that was registered.
 * @throws EvenkeelError CLUSTER_IDENTITY_MISMATCH when it is another one; ApiError when it could not be read.
 */
export async function verifyClusterIdentity(
  api: ClusterApi,
  pinnedUid: string,
  options: CallOptions = {},
): Promise<void> {
  const uid = await readClusterIdentity(api, options);
  if (uid === pinnedUid) return;
  throw new EvenkeelError(
    'CLUSTER_IDENTITY_MISMATCH',
    `the API server is that of another cluster: the UID of its kube-system is ${uid}, and ${pinnedUid} was registered. Correct the connection; if the cluster was rebuilt on purpose, register it anew under another name.`,
    { data: { found: uid, pinned: pinnedUid } },
  );
}
