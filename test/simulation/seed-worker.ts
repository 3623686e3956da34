import { parentPort } from 'node:worker_threads';
import { addFigures, type Figures } from '../../lib/testing/simulation/figures.ts';
import type { Finding } from '../../lib/testing/simulation/invariants/finding.ts';
import { runSeed } from './run-seed.ts';

/** Seeds `from` to `to`, the last one not included. */
export interface SeedRange {
  readonly from: number;
  readonly to: number;
  readonly maxSteps?: number;
}

export interface FailedSeed {
  readonly seed: number;
  readonly findings: readonly Finding[];
}

export interface RangeResult {
  readonly seeds: number;
  readonly figures: Figures | undefined;
  readonly failed: readonly FailedSeed[];
}

// Errors are part of the game here, thrown by the thousand: nobody reads where from.
Error.stackTraceLimit = 0;

parentPort?.on('message', async ({ from, to, maxSteps }: SeedRange) => {
  let figures: Figures | undefined;
  const failed: FailedSeed[] = [];
  for (let seed = from; seed < to; seed += 1) {
    const result = await runSeed(seed, maxSteps === undefined ? {} : { maxSteps });
    figures = figures === undefined ? result.figures : addFigures(figures, result.figures);
    if (result.findings.length > 0) failed.push({ seed, findings: result.findings });
  }
  parentPort?.postMessage({ seeds: to - from, figures, failed } satisfies RangeResult);
});
