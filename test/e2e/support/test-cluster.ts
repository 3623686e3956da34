import type { ClusterConnection } from '../../../lib/adapters/kubernetes/connection/cluster-connection.ts';
import type { KindId } from '../../../lib/core/resource-type.ts';
import type { ClusterApi } from '../../../lib/ports/cluster-api.ts';

/** Whom a part of evenkeel authenticates as: the group's reconcile function, or the relay with resync. */
export type Identity = 'secret-contract' | 'relay';

/** A request of evenkeel's, as the API server itself recorded it. */
export interface ClusterRequest {
  readonly verb: string;
  /** With the subresource, where there is one: `secretcontracts.evenkeel.dev/status`. */
  readonly resource: KindId;
  readonly namespace: string;
  readonly name: string;
  readonly userAgent: string;
  /** HTTP status of the answer; 0 for none. */
  readonly status: number;
}

/** A moment in the server's record of requests. */
export interface RequestMark {
  readonly position: number;
}

/** What an end-to-end suite needs of a cluster. evenkeel's CRDs and namespace are installed. */
export interface TestCluster extends AsyncDisposable {
  /** The path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** An administrator, who plays all users. */
  readonly user: ClusterApi;
  connection(identity: Identity): Promise<ClusterConnection>;
  /** Now: whatever was answered before is before the mark. */
  mark(): Promise<RequestMark>;
  /** What evenkeel asked since the mark, by the user agent `evenkeel/...`. */
  requestsSince(mark: RequestMark): Promise<ClusterRequest[]>;
  /** Makes the server forget its history: older versions are answered 410 from here on. */
  expireHistory(): Promise<void>;
}

const WRITE_VERBS = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** What changes, or tries to change, stored objects; evenkeel's own Leases, which it renews at a slow fixed rate, apart. */
export function writesAmong(requests: readonly ClusterRequest[]): ClusterRequest[] {
  return requests.filter(
    ({ verb, resource, namespace }) =>
      WRITE_VERBS.has(verb) && !(resource === 'leases.coordination.k8s.io' && namespace === 'evenkeel-system'),
  );
}
