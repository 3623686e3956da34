import { DeploymentConflictError, DeploymentHandoverError } from '../../engine/deployment-lease/deployment-error.ts';
import { createResync, type Resync } from '../../engine/runtime/resync.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import { recordClusterTrouble } from '../cloud/record-cluster-trouble.ts';
import type { Installation } from '../installation/installation.ts';
import type { CloudRuntime } from '../wiring-cloud.ts';

/** By cluster, for as long as the sandbox lives: each tells drift by what its last call found. */
export type Comparisons = Map<string, Comparison>;

interface Comparison {
  readonly installation: Installation;
  readonly resync: Resync;
  /** Monotonic ms at which the last comparison began that found nothing. */
  quietSinceMs: number;
}

/** A schedule is late by some seconds at times, so that a comparison is due a little early. */
const SCHEDULE_LATE_MS = 60_000;

/**
 * Drift is what is found twice. Where nobody remembers what was found before, since the sandbox is new, a second look
 * after this time tells.
 */
const SECOND_LOOK_MS = 60_000;

/**
 * Compares each cluster with what is known of it, side by side: one that does not answer delays no other. Where the last comparison of
 * this sandbox found nothing and is not yet as old as `intervals.resync`, only the Leases are renewed.
 * @param untilMs monotonic ms at which what is under way is aborted.
 * @throws what the first cluster failed with that failed for the table or the queue, once all have ended.
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
    // What was found is looked at again at the next run: there may be more of it, and drift is what is found twice.
    if (report.type === 'compared' && report.found === 0) comparison.quietSinceMs = nowMs;
    if (report.type === 'skipped' && report.why === 'unreachable')
      metrics.record('ClusterUnanswered', 1, { Cluster: cluster });
    if (!isNew || report.differences.size === 0) return;
    await clock.sleep(SECOND_LOOK_MS, signal);
    await resync.compare(tick, signal);
  } catch (error) {
    // Another deployment drives the cluster, which is what a stage that stands by waits for the end of.
    if (installation.settings.standby && error instanceof DeploymentConflictError) return;
    recordClusterTrouble(metrics, cluster, error);
    installation.logger.error('resync failed; it runs again at its next time', error);
    // What the cluster is to blame for shows there: its breaker, its Lease. The function itself did what it could.
    const isOurs = !(isApiError(error) || error instanceof DeploymentConflictError || signal.aborted);
    if (isOurs && !(error instanceof DeploymentHandoverError)) throw error;
  }
}
