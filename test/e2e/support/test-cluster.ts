import type { ClusterConnection } from '../../../lib/adapters/kubernetes/connection/cluster-connection.ts';
import type { KindId } from '../../../lib/core/resource-type.ts';
import type { ClusterApi } from '../../../lib/ports/cluster-api.ts';

/**
 * The identities with which parts of evenkeel authenticate: the group's reconcile function, and the relay with resync.
 */
export type Identity = 'secret-contract' | 'relay';

/** A request of evenkeel, from the API server's own record. */
export interface ClusterRequest {
  readonly verb: string;
  /** The kind, and the subresource if there is one: `secretcontracts.evenkeel.dev/status`. */
  readonly resource: KindId;
  readonly namespace: string;
  readonly name: string;
  readonly userAgent: string;
  /** HTTP status of the response; 0 when there was none. */
  readonly status: number;
}

/** A point in the server's record of requests. */
export interface RequestMark {
  readonly position: number;
}

/** What an end-to-end suite needs from a cluster. evenkeel's CRDs and namespace are installed. */
export interface TestCluster extends AsyncDisposable {
  /** The path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** An administrator, who does the work of all users. */
  readonly user: ClusterApi;
  connection(identity: Identity): Promise<ClusterConnection>;
  /** Marks the present: requests that were answered before are before the mark. */
  mark(): Promise<RequestMark>;
  /** evenkeel's requests since the mark, found by the user agent `evenkeel/...`. */
  requestsSince(mark: RequestMark): Promise<ClusterRequest[]>;
  /** Makes the server forget its history: from now on it answers 410 for older versions. */
  expireHistory(): Promise<void>;
}

const WRITE_VERBS = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/**
 * The requests that change stored objects, or try to. Without the renewals of evenkeel's own Leases, which come at a
 * slow fixed rate.
 */
export function writesAmong(requests: readonly ClusterRequest[]): ClusterRequest[] {
  return requests.filter(
    ({ verb, resource, namespace }) =>
      WRITE_VERBS.has(verb) && !(resource === 'leases.coordination.k8s.io' && namespace === 'evenkeel-system'),
  );
}
