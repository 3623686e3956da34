import { AnotherClusterError } from '../../engine/cluster-identity/another-cluster-error.ts';
import { DeploymentConflictError } from '../../engine/deployment-lease/deployment-error.ts';
import { type ApiErrorReason, isApiError } from '../../ports/cluster-api.ts';
import type { Metrics } from '../../ports/metrics.ts';

const UNANSWERED: ReadonlySet<ApiErrorReason> = new Set<ApiErrorReason>(['Unreachable', 'Timeout', 'ServerError']);

/**
 * Counts a failure of a cluster under the metric whose alarm says what to do. A cluster whose objects are
 * settled runs no pass, so its alarms depend on what resync and the relay find. Errors of the table or the queue are
 * not counted, because the cluster did not cause them.
 */
export function recordClusterTrouble(metrics: Metrics, cluster: string, error: unknown): void {
  if (error instanceof DeploymentConflictError) {
    metrics.record('DeploymentConflict', 1, { Cluster: cluster });
    return;
  }
  if (!isApiError(error)) return;
  const { reason, code } = error;
  if (reason === 'TooManyRequests' || reason === 'Conflict') return;
  if (UNANSWERED.has(reason) && !(error instanceof AnotherClusterError)) {
    metrics.record('ClusterUnanswered', 1, { Cluster: cluster });
  } else {
    metrics.record('ClusterRefused', 1, { Cluster: cluster, Reason: code });
  }
}
