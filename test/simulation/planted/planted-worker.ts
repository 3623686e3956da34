import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { FaultKind } from '../../../lib/testing/simulation/faults/fault-kinds.ts';
import type { InvariantId } from '../../../lib/testing/simulation/invariants/violation.ts';
import { type PlantedSources, plant } from './plant.ts';
import type { PlantedFault } from './planted-fault.ts';

/** The input of a thread: a fault, the sources with the fault, and the seeds to try in order. */
export interface PlantedTask {
  readonly fault: PlantedFault;
  readonly sources: PlantedSources;
  readonly seeds: readonly number[];
  /** The largest number of tried seeds that may show the fault. */
  readonly atMost: number;
}

/** The history that shows a fault, and the invariant that fails in it. */
export interface CaughtInHistory {
  /** A seed, or the scenario of the fault. */
  readonly seed: number | 'scenario';
  readonly invariant: InvariantId;
  readonly steps: number;
}

// Thousands of errors are thrown here on purpose, and nobody reads their stack traces.
Error.stackTraceLimit = 0;
// All files except the planted ones are the same in every thread.
enableCompileCache();

const { fault, sources, seeds, atMost } = workerData as PlantedTask;
plant(sources);
const { drawSeed, runSeed } = await import('../run-seed.ts');
const { runScenario } = await import('../scenario/scenario.ts');
const { SCENARIOS } = await import('../scenario/scenarios.ts');
parentPort?.postMessage(fault.scenario === undefined ? await inSeeds() : await inScenario(fault.scenario));

async function inScenario(name: string): Promise<CaughtInHistory | undefined> {
  const scenario = SCENARIOS[name];
  if (scenario === undefined) throw new Error(`there is no scenario '${name}'`);
  const [violation] = (await runScenario(scenario)).violations;
  return violation && { seed: 'scenario', invariant: violation.invariant, steps: violation.step };
}

async function inSeeds(): Promise<CaughtInHistory | undefined> {
  let caught: CaughtInHistory | undefined;
  let tried = 0;
  for (const seed of seeds) {
    if (tried === atMost) break;
    if (!mayShow(seed)) continue;
    tried++;
    const [violation] = (await runSeed(seed)).violations;
    if (violation === undefined) continue;
    caught = { seed, invariant: violation.invariant, steps: violation.step };
    // The first violation may be a consequence of the fault, so the search continues for an expected one.
    if (fault.expected.includes(violation.invariant)) break;
  }
  return caught;
}

function mayShow(seed: number): boolean {
  const { workload, faults = [], fewAreMany = false } = fault.needs ?? {};
  if (workload === undefined && faults.length === 0 && !fewAreMany) return true;
  const { names, plan } = drawSeed(seed);
  const happens = (kind: FaultKind) => kind in plan.rates || plan.disturbances.some((each) => each.kind === kind);
  if (fewAreMany && plan.fewAreMany !== true) return false;
  return (workload === undefined || names.includes(workload)) && faults.every(happens);
}
