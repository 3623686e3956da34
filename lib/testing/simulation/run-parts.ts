import { apiVersion, Namespaces } from '../../core/resource-type.ts';
import { SeededEntropy } from '../seeded-entropy.ts';
import { Acts } from './acts.ts';
import { ELSEWHERE } from './bounds.ts';
import { Checkers } from './checkers.ts';
import type { Controllers } from './controller-host.ts';
import { Disturbances } from './faults/disturbances.ts';
import { DrawnFaults } from './faults/drawn-faults.ts';
import type { FaultKind } from './faults/fault-kinds.ts';
import { WrongResults } from './faults/wrong-results.ts';
import { Launcher } from './launcher.ts';
import type { SimulationPlan } from './plan.ts';
import { ScenarioRun, type Script } from './scenario-run.ts';
import { Simulation } from './simulation.ts';
import type { SimulationOptions } from './simulation-options.ts';
import { tellingErrors, type WorkloadError } from './telling-errors.ts';
import type { Workload } from './workload.ts';

export interface RunOptions extends Pick<SimulationOptions, 'pass' | 'relay' | 'keepTrace'> {
  /** The part of the run with faults ends after this many steps at the latest. */
  readonly maxSteps?: number;
  /** How long nothing may be written after all has converged. */
  readonly silenceMs?: number;
  /** Runs in addition to what the plan draws. */
  readonly script?: Script;
  /** The names of the workloads in errors, in the order of the workloads. */
  readonly names?: readonly string[];
}

/** The parts of one run. */
export interface RunParts {
  readonly workloads: readonly Workload[];
  readonly simulation: Simulation;
  readonly acts: Acts;
  readonly faults: DrawnFaults;
  readonly disturbances: Disturbances;
  readonly checkers: Checkers;
  readonly launcher: Launcher;
  readonly scenarioRun: ScenarioRun;
}

const TIGHT_RATE_LIMIT = { burst: 3, refillMs: 8_000 };
const SPOILT = 0x6b6b;
const WRONG_CLOCKS: readonly FaultKind[] = ['wrong-clock', 'step'];
const FORGERIES: readonly FaultKind[] = ['forge', 'marks', 'status'];

/** @param onError called with every error that a workload throws. */
export function createRunParts(
  plan: SimulationPlan,
  given: readonly Workload[],
  options: RunOptions,
  onError: (error: WorkloadError) => void,
): RunParts {
  const workloads = given.map((workload, index) => {
    const name = options.names?.[index];
    return tellingErrors(workload, {
      of: `seed ${plan.seed}${name === undefined ? '' : `, workload ${name}`}`,
      onError,
    });
  });
  const simulation = simulationOf(plan, workloads, options);
  const acts = new Acts(simulation, workloads);
  const faults = new DrawnFaults(plan.seed ^ 0x5f5f, plan.rates, new Set(plan.skippedFaults), (...about) =>
    acts.meddle(...about),
  );
  const disturbances = new Disturbances(simulation, faults, (forgery) => acts.forgeries.act(forgery));
  faults.onGap = (kind, ms) => disturbances.leaveGap(kind, ms);
  const checkers = new Checkers(simulation, workloads, {
    clocksAreRight:
      options.script?.clocksAreWrong !== true && !plan.disturbances.some(({ kind }) => WRONG_CLOCKS.includes(kind)),
  });
  const launcher = new Launcher(simulation);
  const scenarioRun = new ScenarioRun(simulation, acts.userOf(plan.seed), checkers);
  const parts = { workloads, simulation, acts, faults, disturbances, checkers, launcher, scenarioRun };
  if (plan.rates.nonsense !== undefined) spoilResults(parts, plan.seed);
  return parts;
}

function simulationOf(plan: SimulationPlan, workloads: readonly Workload[], options: RunOptions): Simulation {
  const controllers: Controllers = (host) =>
    workloads.flatMap((workload) =>
      typeof workload.controllers === 'function' ? workload.controllers(host) : workload.controllers,
    );
  const restores = plan.disturbances.some(({ kind }) => kind === 'restore');
  // The counter is raised so often that a backup can be older than the last raise.
  const relay = { ...(restores ? { raiseEveryMs: 15_000 } : {}), ...options.relay };
  const pass = {
    scope: plan.scope,
    targetResyncMs: plan.targetResyncMs,
    ...(plan.tightRateLimit ? { rateLimit: TIGHT_RATE_LIMIT } : {}),
    ...options.pass,
  };
  const { seed, fewAreMany, settings } = plan;
  return new Simulation({ ...options, seed, controllers, relay, pass, fewAreMany, settings });
}

function spoilResults({ simulation, faults, checkers }: RunParts, seed: number): void {
  const entropy = new SeededEntropy(seed ^ SPOILT);
  const results = new WrongResults({
    strikes: () => faults.strikes('nonsense'),
    pick: (below) => Math.floor(entropy.random() * below),
    onEnd: (end) => checkers.wrongResults.ended(end),
  });
  simulation.spoil = (controller, process) => results.spoil(controller, process);
}

/** Prepares the cluster and starts the processes. After that, faults happen. */
export async function startRun(
  { workloads, simulation, acts, faults, launcher, scenarioRun, checkers }: RunParts,
  plan: SimulationPlan,
): Promise<void> {
  const user = acts.userOf(plan.seed);
  await simulation.install(workloads.flatMap(({ definitions }) => definitions));
  for (const { admission } of workloads) {
    if (admission === undefined) continue;
    simulation.server.admit((request) => {
      const review = admission(request, simulation.cluster);
      checkers.undoneWrites.reviewed(request, review);
      return review;
    });
  }
  for (const { standIns = [] } of workloads) {
    if (standIns.length > 0) simulation.server.controllers.switchOn(...standIns);
  }
  await simulation.direct.create(
    Namespaces,
    { apiVersion: apiVersion(Namespaces), kind: Namespaces.kind, metadata: { name: simulation.deployment.namespace } },
    { fieldManager: 'user' },
  );
  if (plan.scope.namespaces !== undefined) await user.put(Namespaces, { metadata: { name: ELSEWHERE } });
  if (plan.disturbances.some(({ kind }) => FORGERIES.includes(kind))) await acts.forgeries.prepare(user);
  for (const { prepare } of workloads) await prepare?.(user);
  launcher.launchAll(plan);
  simulation.faults = (call) => scenarioRun.call(call) ?? faults.call(call);
  simulation.watchFaults = (call) => faults.watch(call);
  simulation.queueFaults = {
    refuses: () => faults.strikes('partial'),
    duplicates: () => faults.strikes('duplicate'),
    reroutes: () => faults.strikes('reroute'),
  };
}
