import { clusterUnusable } from '../lib/deployment/kubernetes/cluster-unusable.ts';
import type { PlanReport } from '../lib/plan/report/plan-report.ts';
import type { RunCommand } from './command.ts';
import { planLines } from './plan/plan-text.ts';
import { printJson } from './print-json.ts';
import { openPlan } from './wiring-plan.ts';

const NOTHING_CHANGES = 0;
const FAILED = 1;
const SOMETHING_CHANGES = 3;

/** `evenkeel plan` */
export const plan: RunCommand = async (invocation, terminal) => {
  await using planned = await openPlan(invocation, terminal);
  const progress = terminal.progress(`planning with the cluster of context ${planned.place.context}`);
  let report: PlanReport;
  try {
    report = await planned.run();
  } catch (error) {
    throw clusterUnusable(error, planned.place);
  } finally {
    progress.end();
  }
  if (invocation.text('output') === 'json') printJson(report, terminal);
  else for (const line of planLines(report)) terminal.out(line);
  return exitCodeOf(report);
};

/** @returns 1 when a part of the plan is unknown, 3 when something would change, otherwise 0. */
export function exitCodeOf({ errors, refusedConnections, externalCalls, changed }: PlanReport): number {
  if (errors.length > 0 || refusedConnections.length > 0) return FAILED;
  return changed > 0 || externalCalls.length > 0 ? SOMETHING_CHANGES : NOTHING_CHANGES;
}
