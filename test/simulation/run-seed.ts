import { SeededEntropy } from '../../lib/testing/seeded-entropy.ts';
import { drawPlan, type PlanOptions, type SimulationPlan } from '../../lib/testing/simulation/plan.ts';
import { type RunOptions, type RunResult, runPlan } from '../../lib/testing/simulation/run-plan.ts';
import { JOINED_LATER, WORKLOADS } from './workload/workloads.ts';

export interface SeedOptions extends RunOptions, Pick<PlanOptions, 'without'> {
  /** Instead of the workloads that the seed draws. */
  readonly workloads?: readonly string[];
  /** Changes the plan that the seed draws. */
  readonly change?: (plan: SimulationPlan) => SimulationPlan;
}

export interface SeedResult extends RunResult {
  readonly seed: number;
  readonly workloads: readonly string[];
  readonly plan: SimulationPlan;
}

/** A seed decides everything: which workloads run, what users do, what goes wrong. */
export async function runSeed(seed: number, options: SeedOptions = {}): Promise<SeedResult> {
  const { workloads: names = drawWorkloads(seed), change = (plan) => plan, without = [], ...rest } = options;
  const workloads = names.map((name) => {
    const make = WORKLOADS[name];
    if (make === undefined)
      throw new Error(`there is no workload '${name}'; there are ${Object.keys(WORKLOADS).join(', ')}`);
    return make();
  });
  const plan = change(drawPlan(seed, { actions: workloads.map(({ actions }) => Object.keys(actions)), without }));
  return { seed, workloads: names, plan, ...(await runPlan(plan, workloads, rest)) };
}

/** One, mostly; two that share the processes and the queue now and then. */
function drawWorkloads(seed: number): string[] {
  const entropy = new SeededEntropy(seed ^ 0x3a3a);
  const all = Object.keys(WORKLOADS);
  const names = all.filter((name) => !JOINED_LATER.has(name));
  const count = entropy.random() < 0.35 ? 2 : 1;
  const drawn = new Set<string>();
  while (drawn.size < count) drawn.add(names[Math.floor(entropy.random() * names.length)] ?? '');
  for (const later of JOINED_LATER) {
    if (entropy.random() * all.length >= 1) continue;
    const [replaced = ''] = drawn;
    drawn.delete(replaced);
    drawn.add(later);
  }
  return [...drawn].sort();
}
