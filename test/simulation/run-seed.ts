import { SeededEntropy } from '../../lib/testing/seeded-entropy.ts';
import { drawPlan, type PlanOptions, planOptionsOf, type SimulationPlan } from '../../lib/testing/simulation/plan.ts';
import { type RunOptions, type RunResult, runPlan } from '../../lib/testing/simulation/run-plan.ts';
import type { Workload } from '../../lib/testing/simulation/workload.ts';
import { JOINED_LATER, WORKLOADS } from './workload/workloads.ts';

export interface SeedOptions extends RunOptions, Pick<PlanOptions, 'without'> {
  /** Replaces the workloads that the seed draws. */
  readonly workloads?: readonly string[];
  /** Changes the plan that the seed draws. */
  readonly change?: (plan: SimulationPlan) => SimulationPlan;
}

export interface SeedResult extends RunResult {
  readonly seed: number;
  readonly workloads: readonly string[];
  readonly plan: SimulationPlan;
}

/** What a seed decides before the run. */
export interface DrawnSeed {
  readonly names: readonly string[];
  readonly workloads: readonly Workload[];
  readonly plan: SimulationPlan;
}

export function drawSeed(seed: number, options: Pick<SeedOptions, 'workloads' | 'without'> = {}): DrawnSeed {
  const { workloads: names = drawWorkloads(seed), without = [] } = options;
  const workloads = names.map((name) => {
    const make = WORKLOADS[name];
    if (make === undefined)
      throw new Error(`there is no workload '${name}'; there are ${Object.keys(WORKLOADS).join(', ')}`);
    return make();
  });
  const plan = drawPlan(seed, { ...planOptionsOf(workloads), without });
  return { names, workloads, plan };
}

/** A seed decides everything: which workloads run, what users do, and which faults happen. */
export async function runSeed(seed: number, options: SeedOptions = {}): Promise<SeedResult> {
  const { change = (plan) => plan } = options;
  const { names, workloads, plan } = drawSeed(seed, options);
  const changed = change(plan);
  return { seed, workloads: names, plan: changed, ...(await runPlan(changed, workloads, { ...options, names })) };
}

/** Mostly one workload; sometimes two that share the processes and the queue. */
function drawWorkloads(seed: number): string[] {
  const entropy = new SeededEntropy(seed ^ 0x3a3a);
  const all = Object.keys(WORKLOADS);
  const names = all.filter((name) => !JOINED_LATER.has(name));
  const count = entropy.random() < 0.35 ? 2 : 1;
  const drawn = new Set<string>();
  while (drawn.size < count) drawn.add(names[Math.floor(entropy.random() * names.length)] ?? '');
  for (const [later, oneIn] of JOINED_LATER) {
    if (entropy.random() * oneIn >= 1) continue;
    const [replaced = ''] = drawn;
    drawn.delete(replaced);
    drawn.add(later);
  }
  return [...drawn].sort();
}
