import type { FaultKind } from './faults/fault-kinds.ts';
import { addFigures, type Figures, NO_FIGURES } from './figures.ts';
import { drawPlan, planOptionsOf, type SimulationPlan } from './plan.ts';
import { type RunOptions, runPlan } from './run-plan.ts';
import { isSameFault, shrink } from './shrink.ts';
import { describeFinding, timeline } from './timeline.ts';
import type { Workload } from './workload.ts';

export interface SimulateOptions extends Workload, Omit<RunOptions, 'script'> {
  /** How many histories are tried; 20 by default. */
  readonly seeds?: number;
  /** The first of them; 1 by default. */
  readonly firstSeed?: number;
  /** Faults that never happen. */
  readonly without?: readonly FaultKind[];
}

export interface SimulationReport {
  /** Seeds that were run; fewer than asked for when one failed. */
  readonly seeds: number;
  readonly figures: Figures;
  /** The first seed at which an invariant did not hold. */
  readonly failure?: {
    readonly seed: number;
    /** What did not hold, by number. */
    readonly findings: readonly string[];
    /** Who did what when, in the smallest history that still fails so. */
    readonly timeline: string;
  };
}

/**
 * Runs a controller under the real engine with everything that may go wrong: crashes at any call, pauses, lost answers,
 * duplicated messages, watch gaps, throttling, edits at the worst moment. A seed is one history, and the same each time.
 * The engine's invariants are checked throughout, and `check` once all has come to rest. A seed takes some 30 ms.
 *
 * Controllers must be free of state of their own: one set of them serves all processes and seeds, unless `controllers` is
 * a function.
 */
export async function simulate(options: SimulateOptions): Promise<SimulationReport> {
  const { seeds = 20, firstSeed = 1, without = [], ...run } = options;
  let figures: Figures | undefined;
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const plan = drawPlan(seed, { ...planOptionsOf([options]), without });
    const result = await runPlan(plan, [options], run);
    figures = figures === undefined ? result.figures : addFigures(figures, result.figures);
    const [first] = result.findings;
    if (first === undefined) continue;
    const smallest = await shrink(plan, async (candidate) => {
      const { findings, figures: of } = await runPlan(candidate, [options], run);
      return { fails: isSameFault(findings[0], first), faults: of.faults };
    });
    return { seeds: seed - firstSeed + 1, figures, failure: await describeFailure(smallest, options, run) };
  }
  return { seeds, figures: figures ?? NO_FIGURES };
}

async function describeFailure(plan: SimulationPlan, workload: Workload, run: RunOptions) {
  const { findings, trace } = await runPlan(plan, [workload], { ...run, keepTrace: true });
  return { seed: plan.seed, findings: findings.map(describeFinding), timeline: timeline(trace, findings) };
}
