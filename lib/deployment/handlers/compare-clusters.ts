import { DeploymentConflictError, DeploymentHandoverError } from '../../engine/deployment-lease/deployment-error.ts';
import { createResync, type Resync } from '../../engine/runtime/resync.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import { recordClusterTrouble } from '../cloud/record-cluster-trouble.ts';
import type { Installation } from '../installation/installation.ts';
import type { CloudRuntime } from '../wiring-cloud.ts';

/** By cluster, for the life of the sandbox. Drift is found by comparison with the last call. */
export type Comparisons = Map<string, Comparison>;

interface Comparison {
  readonly installation: Installation;
  readonly resync: Resync;
  /** When the last comparison without a difference started, monotonic ms. */
  quietSinceMs: number;
}

/** A schedule may be late by some seconds, so a comparison counts as due a little early. */
const SCHEDULE_LATE_MS = 60_000;

/**
 * Drift is a difference that is found twice. A new sandbox knows no earlier comparison, so it compares again after this
 * time.
 */
const SECOND_LOOK_MS = 60_000;

/**
 * Compares each cluster with the table, in parallel: a cluster that does not answer does not delay the others. When
 * this sandbox's last comparison found no difference, and `intervals.resync` has not passed since, only the Leases are
 * renewed.
 * @param untilMs monotonic ms at which running comparisons are aborted.
 * @throws the first failure of the table or the queue, after all comparisons have ended.
 */
export async function compareClusters(
  runtime: Pick<CloudRuntime, 'clusters' | 'clock' | 'logger' | 'metrics'>,
  comparisons: Comparisons,
  untilMs: number,
): Promise<void> {
  const { clusters, clock } = runtime;
  const abort = new AbortController();
  const finished = new AbortController();
  const timer = clock.sleep(Math.max(0, untilMs - clock.monotonic()), finished.signal).then(
    () => abort.abort(),
    () => undefined,
  );
  try {
    const results = await Promise.allSettled(
      clusters
        .all()
        .filter(({ fault }) => fault === undefined)
        .map(({ opened }) => compareCluster(runtime, comparisons, opened.installation, abort.signal)),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  } finally {
    finished.abort();
    await timer;
  }
}

async function compareCluster(
  { clock, metrics }: Pick<CloudRuntime, 'clock' | 'metrics'>,
  comparisons: Comparisons,
  installation: Installation,
  signal: AbortSignal,
): Promise<void> {
  const { cluster } = installation.settings;
  const known = comparisons.get(cluster);
  const isNew = known?.installation !== installation;
  const intervalMs = Math.max(1, installation.settings.intervals.resyncMs);
  const resync = isNew ? createResync(installation, intervalMs) : known.resync;
  const nowMs = clock.monotonic();
  const isEarly = !isNew && nowMs - known.quietSinceMs < intervalMs - SCHEDULE_LATE_MS;
  const tick = Math.floor(clock.now() / intervalMs);
  try {
    if (isEarly) {
      await resync.keepLeases();
      return;
    }
    const comparison: Comparison = { installation, resync, quietSinceMs: Number.NEGATIVE_INFINITY };
    comparisons.set(cluster, comparison);
    const report = await resync.compare(tick, signal);
    // After a difference, compare again at the next run: there may be more differences, and drift is a difference that
    // is found twice.
    if (report.type === 'compared' && report.found === 0) comparison.quietSinceMs = nowMs;
    if (report.type === 'skipped' && report.why === 'unreachable')
      metrics.record('ClusterUnanswered', 1, { Cluster: cluster });
    if (!isNew || report.differences.size === 0) return;
    await clock.sleep(SECOND_LOOK_MS, signal);
    await resync.compare(tick, signal);
  } catch (error) {
    // Another deployment drives the cluster. A standby stage waits until that ends, so this is not an error.
    if (installation.settings.standby && error instanceof DeploymentConflictError) return;
    recordClusterTrouble(metrics, cluster, error);
    installation.logger.error('resync failed; it runs again at its next time', error);
    // A failure that the cluster caused is visible in its breaker or its Lease. It is not a failure of this function.
    const isOurs = !(isApiError(error) || error instanceof DeploymentConflictError || signal.aborted);
    if (isOurs && !(error instanceof DeploymentHandoverError)) throw error;
  }
}
