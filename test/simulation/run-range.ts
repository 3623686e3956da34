import { addFigures, type Figures } from '../../lib/testing/simulation/figures.ts';
import type { Violation } from '../../lib/testing/simulation/invariants/violation.ts';
import type { RunResult } from '../../lib/testing/simulation/run-plan.ts';

/** The seeds from `from` to `to`, without the last one. */
export interface SeedRange {
  readonly from: number;
  readonly to: number;
  readonly maxSteps?: number;
}

export interface FailedSeed {
  readonly seed: number;
  readonly violations: readonly Violation[];
}

/** A seed that did not run to its end, because its workload or the simulator threw. */
export interface BrokenSeed {
  readonly seed: number;
  readonly what: string;
}

export interface RangeResult {
  readonly seeds: number;
  readonly figures: Figures | undefined;
  readonly failed: readonly FailedSeed[];
  /** The range stopped at this seed. */
  readonly broken?: BrokenSeed;
}

export type RunOne = (
  seed: number,
  options: { maxSteps?: number },
) => Promise<Pick<RunResult, 'figures' | 'violations'>>;

/** Runs the seeds of a range in order, up to one that throws. */
export async function runRange({ from, to, maxSteps }: SeedRange, runOne: RunOne): Promise<RangeResult> {
  let figures: Figures | undefined;
  const failed: FailedSeed[] = [];
  for (let seed = from; seed < to; seed += 1) {
    try {
      const result = await runOne(seed, maxSteps === undefined ? {} : { maxSteps });
      figures = figures === undefined ? result.figures : addFigures(figures, result.figures);
      if (result.violations.length > 0) failed.push({ seed, violations: result.violations });
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      return { seeds: seed - from, figures, failed, broken: { seed, what } };
    }
  }
  return { seeds: to - from, figures, failed };
}
