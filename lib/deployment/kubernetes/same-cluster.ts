import { Namespaces } from '../../core/resource-type.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';

/**
 * Whether two connections reach the same cluster, by the UID of kube-system.
 * @returns undefined when one UID cannot be read.
 */
export async function isSameCluster(one: ClusterApi, other: ClusterApi): Promise<boolean | undefined> {
  const [uid, otherUid] = await Promise.all([clusterUid(one), clusterUid(other)]);
  return uid === undefined || otherUid === undefined ? undefined : uid === otherUid;
}

async function clusterUid(api: ClusterApi): Promise<string | undefined> {
  try {
    const { metadata } = await api.get(Namespaces, { namespace: '', name: 'kube-system' }, { metadataOnly: true });
    return metadata.uid;
  } catch (error) {
    if (isApiError(error)) return undefined;
    throw error;
  }
}
