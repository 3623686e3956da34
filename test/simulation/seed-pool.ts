import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Figures } from '../../lib/testing/simulation/run-plan.ts';
import { addFigures } from '../../lib/testing/simulation/simulate.ts';
import type { FailedSeed, RangeResult, SeedRange } from './seed-worker.ts';

export interface PoolOptions {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly maxSteps?: number;
  /** Whether to begin no further range. */
  readonly isOver: () => boolean;
  readonly jobs?: number;
  /** Called after each range. */
  readonly onProgress?: (soFar: PoolResult) => void;
}

export interface PoolResult {
  readonly seeds: number;
  readonly figures: Figures | undefined;
  readonly failed: readonly FailedSeed[];
}

const RANGE = 25;

/** Runs seeds on all cores. After a seed failed, no further range is begun. */
export async function runSeeds(options: PoolOptions): Promise<PoolResult> {
  const { firstSeed, seeds, maxSteps, isOver, jobs = availableParallelism(), onProgress } = options;
  const lastSeed = firstSeed + seeds;
  let next = firstSeed;
  let soFar: PoolResult = { seeds: 0, figures: undefined, failed: [] };
  const takeRange = (): SeedRange | undefined => {
    if (next >= lastSeed || isOver() || soFar.failed.length > 0) return undefined;
    const range = { from: next, to: Math.min(next + RANGE, lastSeed), ...(maxSteps === undefined ? {} : { maxSteps }) };
    next = range.to;
    return range;
  };
  const work = async () => {
    const worker = new Worker(new URL('./seed-worker.ts', import.meta.url), {
      // Most of what a run makes dies young.
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    });
    try {
      for (let range = takeRange(); range !== undefined; range = takeRange()) {
        const result = await runRange(worker, range);
        const { figures } = result;
        soFar = {
          seeds: soFar.seeds + result.seeds,
          figures:
            soFar.figures === undefined || figures === undefined
              ? (figures ?? soFar.figures)
              : addFigures(soFar.figures, figures),
          failed: [...soFar.failed, ...result.failed].sort((left, right) => left.seed - right.seed),
        };
        onProgress?.(soFar);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return soFar;
}

async function runRange(worker: Worker, range: SeedRange): Promise<RangeResult> {
  worker.postMessage(range);
  const [result] = (await once(worker, 'message')) as [RangeResult];
  return result;
}
