import { parentPort, workerData } from 'node:worker_threads';
import type { FaultKind } from '../../../lib/testing/simulation/faults/fault-kinds.ts';
import type { InvariantId } from '../../../lib/testing/simulation/invariants/finding.ts';
import { plant } from './plant.ts';
import type { PlantedFault } from './planted-fault.ts';

/** What a thread is started with: a fault, and the seeds to try in turn. */
export interface PlantedTask {
  readonly fault: PlantedFault;
  readonly seeds: readonly number[];
}

/** Undefined when no seed caught it. */
export type Caught =
  | {
      /** Which history it was: a seed, or the scenario of the fault. */
      readonly seed: number | 'scenario';
      readonly invariant: InvariantId;
      readonly steps: number;
    }
  | undefined;

// Errors are part of the game here, thrown by the thousand: nobody reads where from.
Error.stackTraceLimit = 0;

const { fault, seeds } = workerData as PlantedTask;
plant(fault);
const { drawSeed, runSeed } = await import('../run-seed.ts');
const { runScenario } = await import('../scenario/scenario.ts');
const { SCENARIOS } = await import('../scenario/scenarios.ts');
let caught: Caught;
if (fault.scenario !== undefined) {
  const scenario = SCENARIOS[fault.scenario];
  if (scenario === undefined) throw new Error(`there is no scenario '${fault.scenario}'`);
  const [finding] = (await runScenario(scenario)).findings;
  if (finding !== undefined) caught = { seed: 'scenario', invariant: finding.invariant, steps: finding.step };
}
for (const seed of fault.scenario === undefined ? seeds : []) {
  if (!mayShow(seed)) continue;
  const [finding] = (await runSeed(seed)).findings;
  if (finding === undefined) continue;
  caught = { seed, invariant: finding.invariant, steps: finding.step };
  // What shows first may be a consequence: the search goes on for what one would expect.
  if (fault.expected.includes(finding.invariant)) break;
}
parentPort?.postMessage(caught);

function mayShow(seed: number): boolean {
  const { workload, faults = [], fewAreMany = false } = fault.needs ?? {};
  if (workload === undefined && faults.length === 0 && !fewAreMany) return true;
  const { names, plan } = drawSeed(seed);
  const happens = (kind: FaultKind) => kind in plan.rates || plan.disturbances.some((each) => each.kind === kind);
  if (fewAreMany && plan.fewAreMany !== true) return false;
  return (workload === undefined || names.includes(workload)) && faults.every(happens);
}
