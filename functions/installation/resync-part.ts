import {
  DeploymentConflictError,
  DeploymentHandoverError,
} from '../../lib/engine/deployment-lease/deployment-error.ts';
import { type ResyncReport, resyncCluster } from '../../lib/engine/resync/resync-cluster.ts';
import { deploymentGuards } from './deployment.ts';
import type { Installation } from './installation.ts';
import { type Part, repeatedly } from './part.ts';

/** Compares the cluster with what is known of it, again and again. Undefined when it is off. */
export function resyncPart(installation: Installation): Part | undefined {
  const { settings, clock } = installation;
  const { resyncMs } = settings.intervals;
  if (resyncMs === 0) return undefined;
  const compare = resyncComparison(installation);
  const resync = async (signal: AbortSignal) => {
    try {
      await compare(Math.floor(clock.now() / resyncMs), signal);
    } catch (error) {
      // Before a handover is over there is nothing to compare for.
      if (error instanceof DeploymentHandoverError) return;
      if (!(error instanceof DeploymentConflictError)) throw error;
      installation.onReplaced(error);
    }
  };
  return (signal) => repeatedly('resync', resync, resyncMs, installation, signal);
}

/**
 * Compares the cluster with what is known of it, once a call. What a call finds that the one before had found as well
 * counts as drift. A paused deployment compares nothing, and keeps its Leases all the same.
 * @returns the comparison; its `tick` numbers the calls and grows from one to the next.
 */
export function resyncComparison(
  installation: Installation,
): (tick: number, signal: AbortSignal) => Promise<ResyncReport> {
  const { settings, api, store, sender, registry, clock, logger, metrics } = installation;
  const guards = deploymentGuards(installation);
  let previous: ResyncReport['findings'] | undefined;
  return async (tick, signal) => {
    // An idle deployment runs no pass that would renew its Leases.
    for (const guard of guards.values()) await guard.assertOurs();
    if (settings.paused) return { type: 'skipped', why: 'paused', findings: previous ?? new Set() };
    const report = await resyncCluster({
      cluster: settings.cluster,
      api,
      store,
      sender,
      registry,
      scope: settings.scope,
      clock,
      logger,
      metrics,
      tick,
      signal,
      options: { lease: settings.timings },
      ...(previous !== undefined && { previous }),
    });
    previous = report.findings;
    if (report.type === 'compared') {
      logger.debug('resync compared the cluster with the inventory', { found: report.found, drift: report.drift });
    }
    return report;
  };
}
