import { DeploymentConflictError, DeploymentHandoverError } from '../deployment-lease/deployment-error.ts';
import { type ResyncReport, resyncCluster } from '../resync/resync-cluster.ts';
import type { Engine } from './engine.ts';
import { repeatedly } from './repeatedly.ts';

export interface Resync {
  /**
   * Compares the cluster with the table, once for each call. A difference that the call before had found as well counts as
   * drift. A paused deployment compares nothing, but still keeps its Leases.
   * @param tick numbers the calls; grows from one to the next.
   * @throws DeploymentConflictError, DeploymentHandoverError; the error of the table or the queue.
   */
  compare(tick: number, signal: AbortSignal): Promise<ResyncReport>;
  /**
   * Renews the Leases that name this deployment, when that is due, and compares nothing. An idle deployment has to call
   * this more often than it has to compare: another deployment takes over a Lease that was not renewed for 15 minutes
   * (R-1.10).
   * @throws DeploymentConflictError, DeploymentHandoverError.
   */
  keepLeases(): Promise<void>;
  /** Compares at each interval until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** @param intervalMs how often `run` compares. */
export function createResync(engine: Engine, intervalMs: number): Resync {
  let previous: ResyncReport | undefined;
  const compare: Resync['compare'] = async (tick, signal) => {
    const report = await compareOnce(engine, tick, previous, signal);
    previous = report;
    return report;
  };
  const task = async (signal: AbortSignal) => {
    try {
      await compare(Math.floor(engine.clock.now() / intervalMs), signal);
    } catch (error) {
      // This deployment compares nothing until a handover is over.
      if (error instanceof DeploymentHandoverError) return;
      if (!(error instanceof DeploymentConflictError)) throw error;
      engine.options.deployment?.onReplaced?.(error);
    }
  };
  const keepLeases = () => assertOurs(engine);
  return { compare, keepLeases, run: (signal) => repeatedly('resync', task, intervalMs, engine, signal) };
}

async function compareOnce(
  engine: Engine,
  tick: number,
  previous: ResyncReport | undefined,
  signal: AbortSignal,
): Promise<ResyncReport> {
  const { options, logger } = engine;
  const { cluster, pass, paused, directReaders, resyncLaneDepth } = options;
  // Renews the Leases here, because an idle deployment runs no pass that would renew them.
  await assertOurs(engine);
  if (paused === true) return { type: 'skipped', why: 'paused', differences: previous?.differences ?? new Set() };
  const report = await resyncCluster({
    ...engine,
    cluster,
    scope: pass.scope,
    tick,
    signal,
    options: {
      lease: pass.timings,
      ...(directReaders !== undefined && { directReaders }),
      ...(resyncLaneDepth !== undefined && { laneDepth: resyncLaneDepth }),
    },
    ...(previous !== undefined && { previous: previous.differences }),
    quiet: previous?.type === 'compared' && previous.found === 0,
  });
  if (report.type === 'compared') {
    const { found, drift, left } = report;
    logger.debug('resync compared the cluster with the inventory', { found, drift, left });
  }
  return report;
}

async function assertOurs({ guards }: Engine): Promise<void> {
  for (const guard of guards.values()) await guard.assertOurs();
}
