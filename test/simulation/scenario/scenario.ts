import { kindId, type ResourceType } from '../../../lib/core/resource-type.ts';
import type { TargetState } from '../../../lib/ports/state-store.ts';
import { quietPlan, type SimulationPlan } from '../../../lib/testing/simulation/plan.ts';
import { type RunOptions, type RunResult, runPlan } from '../../../lib/testing/simulation/run-plan.ts';
import type { CallMatch, ScenarioRun, Script } from '../../../lib/testing/simulation/scenario-run.ts';
import { WORKLOADS } from '../workload/workloads.ts';

/** A history that takes too many seeds to be drawn, or none draws: told as a script, and run by the same simulator. */
export interface Scenario extends Script {
  readonly workload: string;
  readonly plan?: Partial<SimulationPlan>;
  /** The relay raises its counter often enough for a backup to be older than the last raise. */
  readonly restores?: boolean;
}

const SEED = 1;

export async function runScenario(
  { workload, plan = {}, restores = false, ...script }: Scenario,
  options: RunOptions = {},
): Promise<RunResult> {
  const make = WORKLOADS[workload];
  if (make === undefined) throw new Error(`there is no workload '${workload}'`);
  const relay = restores ? { raiseEveryMs: 15_000 } : {};
  return await runPlan(quietPlan(SEED, plan), [make()], { ...options, relay, script });
}

/** Calls of passes and polls to the cluster. */
export function apiCall(method: string, type: ResourceType, name: string): CallMatch {
  return ({ port, scope, method: called, args }) =>
    port === 'api' &&
    scope !== undefined &&
    called === method &&
    kindId(args[0] as ResourceType) === kindId(type) &&
    (args[1] as { name?: string }).name === name;
}

export function storeCall(method: string): CallMatch {
  return (call) => call.port === 'store' && call.method === method;
}

/** The item of a target. */
export function itemOf({ simulation }: ScenarioRun, name: string): TargetState | undefined {
  return simulation.store.contents().targets.find(({ target }) => target.name === name);
}

/** Takes a backup, and waits until a restore to it can be told by the relay's counter. */
export async function backUp(stage: ScenarioRun): Promise<ReturnType<ScenarioRun['simulation']['server']['snapshot']>> {
  await stage.until('a counter in the cluster', () => stage.restoreCounter > 0);
  const backup = stage.simulation.server.snapshot();
  const counter = stage.restoreCounter;
  await stage.until('a higher counter in the cluster', () => stage.restoreCounter > counter);
  return backup;
}
