import { isDeepStrictEqual } from 'node:util';
import { ALL_FAULT_KINDS, type FaultKind } from './faults/fault-kinds.ts';
import { addFigures, type Figures, NO_FIGURES } from './figures.ts';
import type { Violation } from './invariants/violation.ts';
import { drawPlan, planOptionsOf, type SimulationPlan } from './plan.ts';
import { type RunOptions, type RunResult, runPlan } from './run-plan.ts';
import { isSameFault, shrink } from './shrink.ts';
import { describeViolation, timeline } from './timeline.ts';
import { addWrites, noWrites, type UserWrites } from './user.ts';
import type { Workload } from './workload.ts';

/** Selects the histories that are tried. */
export interface SimulateSettings extends Omit<RunOptions, 'script' | 'names'> {
  /** How many histories are tried; 20 by default. */
  readonly seeds?: number;
  /** The first seed; 1 by default. */
  readonly firstSeed?: number;
  /** Faults that never happen. */
  readonly without?: readonly FaultKind[];
}

export interface SimulateOptions extends Workload, SimulateSettings {}

export interface SimulationReport {
  /** The number of seeds that were run; fewer than requested when one failed. */
  readonly seeds: number;
  readonly figures: Figures;
  /** The first seed at which an invariant did not hold. */
  readonly failure?: {
    readonly seed: number;
    /** The invariants that did not hold, by number. */
    readonly findings: readonly string[];
    /** Who did what when, in the smallest history that still fails in the same way. */
    readonly timeline: string;
  };
}

/**
 * Runs a controller with the real engine and injects faults: crashes at any call, pauses, lost answers, duplicated
 * messages, watch gaps, throttling, edits at the worst moment. A seed is one history, and it is the same each time. The
 * engine's invariants are checked throughout, and `check` when everything is at rest. A seed takes about 30 ms.
 * Controllers must not keep state of their own: one set of them serves all processes and seeds, unless `controllers` is
 * a function. When a stand-in for an external system has state, pass a function that makes the whole workload, so that
 * each history gets its own: `simulate(() => workload)`.
 * @throws RangeError for settings that would run nothing, or not what they name.
 * @throws WorkloadError when the code of the workload throws.
 * @throws Error when a seed that failed does not fail in the same way again, or when no pass ran at all.
 */
export function simulate(options: SimulateOptions): Promise<SimulationReport>;
export function simulate(make: () => Workload, settings?: SimulateSettings): Promise<SimulationReport>;
export async function simulate(
  workload: SimulateOptions | (() => Workload),
  settings: SimulateSettings = {},
): Promise<SimulationReport> {
  return typeof workload === 'function'
    ? await runSeeds(workload, settings)
    : await runSeeds(() => workload, { ...workload, ...settings });
}

async function runSeeds(make: () => Workload, settings: SimulateSettings): Promise<SimulationReport> {
  assertCanRun(settings);
  const { seeds = 20, firstSeed = 1, without = [], ...run } = settings;
  let figures: Figures | undefined;
  const writes = noWrites();
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const workload = make();
    const plan = drawPlan(seed, { ...planOptionsOf([workload]), without });
    const result = await runPlan(plan, [workload], run);
    figures = figures === undefined ? result.figures : addFigures(figures, result.figures);
    addWrites(writes, result.userWrites);
    const [first] = result.violations;
    if (first === undefined) continue;
    assertReplays(seed, result, await runPlan(plan, [make()], run));
    return { seeds: seed - firstSeed + 1, figures, failure: await describeFailure(plan, first, make, run) };
  }
  if (figures?.passes === 0) throw new Error(`no pass ran: ${describeWrites(writes)}`);
  return { seeds, figures: figures ?? NO_FIGURES };
}

function describeWrites({ asked, refused, lastRefusal }: UserWrites): string {
  if (asked === 0) return 'users wrote nothing';
  if (lastRefusal === undefined) return `users wrote ${asked} times, and nothing that a controller reconciles`;
  return `${refused} of ${asked} writes were refused, the last: ${lastRefusal}`;
}

async function describeFailure(plan: SimulationPlan, first: Violation, make: () => Workload, run: RunOptions) {
  const smallest = await shrink(plan, async (candidate) => {
    const { violations, figures } = await runPlan(candidate, [make()], run);
    return { fails: isSameFault(violations[0], first), faults: figures.faults };
  });
  const { violations, trace } = await runPlan(smallest, [make()], { ...run, keepTrace: true });
  if (!isSameFault(violations[0], first)) throw notReplayed(plan.seed);
  return { seed: plan.seed, findings: violations.map(describeViolation), timeline: timeline(trace, violations) };
}

function assertReplays(seed: number, { violations, figures }: RunResult, again: RunResult): void {
  if (!isDeepStrictEqual([again.violations, again.figures], [violations, figures])) throw notReplayed(seed);
}

function notReplayed(seed: number): Error {
  return new Error(
    `seed ${seed} does not replay: the controller uses a clock, randomness or state of its own, or what stands in for an external system keeps its state (simulate(() => workload) makes a new one)`,
  );
}

function assertCanRun({ seeds, firstSeed, maxSteps, silenceMs, without = [] }: SimulateSettings): void {
  assertWhole('seeds', seeds, 1);
  assertWhole('firstSeed', firstSeed, 0);
  assertWhole('maxSteps', maxSteps, 0);
  assertWhole('silenceMs', silenceMs, 0);
  for (const kind of without) {
    if (!ALL_FAULT_KINDS.includes(kind))
      throw new RangeError(`without: there is no kind of fault '${kind}'; there are ${ALL_FAULT_KINDS.join(', ')}`);
  }
}

function assertWhole(name: string, value: number | undefined, least: number): void {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= least))
    throw new RangeError(`${name}: ${value} is no whole number of ${least} or more`);
}
