import { buildReport } from './build-report.ts';
import { planDefinitions } from './definitions/definition-effects.ts';
import { openFork, type PlanOptions } from './open-fork.ts';
import { runPasses } from './passes/run-passes.ts';
import type { PlanReport } from './report/plan-report.ts';

/**
 * Finds what controllers would change in a cluster. The engine of an installation runs the same passes, on a
 * copy of what they read, in virtual time. Nothing is written to the cluster, its table or its queues.
 * @throws ApiError when the cluster cannot be reached.
 */
export async function planCluster(options: PlanOptions): Promise<PlanReport> {
  const opened = await openFork(options);
  const { copies, recorder, server, ledger, plan, clock, external } = opened;
  const { live, definitions, guard, signal } = options;
  const effects = await planDefinitions({ live, copies, recorder, definitions });
  const incomplete = await runPasses(plan, clock, () => ledger.passes, signal);
  await server.idle();
  const hasRecords = options.recorded !== undefined;
  return buildReport({ recorder, ledger, external, copies, server, guard, incomplete, hasRecords, effects });
}
