import { kindId, Namespaces, type ResourceType } from '../../../lib/core/resource-type.ts';
import type { TargetState } from '../../../lib/ports/state-store.ts';
import { quietPlan, type SimulationPlan } from '../../../lib/testing/simulation/plan.ts';
import { type RunOptions, type RunResult, runPlan } from '../../../lib/testing/simulation/run-plan.ts';
import type { CallMatch, ScenarioRun, Script } from '../../../lib/testing/simulation/scenario-run.ts';
import type { Workload } from '../../../lib/testing/simulation/workload.ts';
import { WORKLOADS } from '../workload/workloads.ts';

/** A history that few seeds or no seed draws. A script describes it, and the same simulator runs it. */
export interface Scenario extends Omit<Script, 'play'> {
  /** @param workload the workload whose actions the script may use. */
  readonly play: (run: ScenarioRun, workload: Workload) => Promise<void>;
  readonly workload: string;
  readonly plan?: Partial<SimulationPlan>;
  /** Whether the relay raises its counter so often that a backup can be older than the last raise. */
  readonly restores?: boolean;
  /**
   * The number of seeds that play it, by default 1. When two things are due at the same time, the seed draws which one
   * comes first.
   */
  readonly plays?: number;
}

/** The first run in which something failed, otherwise the last one. */
export async function runScenario(scenario: Scenario, options: RunOptions = {}): Promise<RunResult> {
  const { plays = 1 } = scenario;
  for (let seed = 1; ; seed += 1) {
    const result = await playScenario(scenario, seed, options);
    if (result.violations.length > 0 || seed >= plays) return result;
  }
}

async function playScenario(
  { workload, plan = {}, restores = false, play, ...script }: Scenario,
  seed: number,
  options: RunOptions,
): Promise<RunResult> {
  const make = WORKLOADS[workload];
  if (make === undefined) throw new Error(`there is no workload '${workload}'`);
  const relay = restores ? { raiseEveryMs: 15_000 } : {};
  const made = make();
  const told = { ...script, play: (run: ScenarioRun) => play(run, made) };
  return await runPlan(quietPlan(seed, plan), [made], { ...options, relay, script: told });
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

/** Raises the version of the cluster. */
export async function writeElsewhere({ user }: ScenarioRun, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1)
    await user.put(Namespaces, { metadata: { name: 'other', labels: { at: String(user.number(1e9)) } } });
}

/** Takes a backup, and waits until the relay's counter can show a restore to it. */
export async function backUp(run: ScenarioRun): Promise<ReturnType<ScenarioRun['simulation']['server']['snapshot']>> {
  await run.until('a counter in the cluster', () => run.restoreCounter > 0);
  const backup = run.simulation.server.snapshot();
  const counter = run.restoreCounter;
  await run.until('a higher counter in the cluster', () => run.restoreCounter > counter);
  return backup;
}
