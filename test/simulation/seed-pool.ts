import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { addFigures, type Figures } from '../../lib/testing/simulation/figures.ts';
import type { RunLog } from './run-log.ts';
import type { BrokenSeed, FailedSeed, RangeResult, SeedRange } from './run-range.ts';

export interface PoolOptions {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly maxSteps?: number;
  /** Whether no further range may start. */
  readonly isOver: () => boolean;
  /** Whether it ends at a failure, after the running ranges. */
  readonly stopsAtFailure?: boolean;
  readonly jobs?: number;
  /** The log for each range that was run. Ranges in the log are not run again. */
  readonly log?: RunLog;
  /** Called after each range. */
  readonly onProgress?: (soFar: PoolResult) => void;
}

export interface PoolResult {
  /** The number of seeds that were run. */
  readonly seeds: number;
  /** The number of seeds that were not run, because the log has them. */
  readonly inLog: number;
  readonly figures: Figures | undefined;
  readonly failed: readonly FailedSeed[];
  /** A seed that did not run to its end: no further range was started. */
  readonly broken?: BrokenSeed;
}

export const NOTHING_RUN: PoolResult = { seeds: 0, inLog: 0, figures: undefined, failed: [] };

const RANGE = 25;

/** Runs seeds on all cores. */
export async function runSeeds(options: PoolOptions): Promise<PoolResult> {
  const { firstSeed, seeds, maxSteps, isOver, jobs = availableParallelism(), onProgress } = options;
  const { stopsAtFailure = true, log } = options;
  const lastSeed = firstSeed + seeds;
  let next = firstSeed;
  let soFar = NOTHING_RUN;
  const takeRange = (): SeedRange | undefined => {
    const isStopped = isOver() || soFar.broken !== undefined || (stopsAtFailure && soFar.failed.length > 0);
    if (next >= lastSeed || isStopped) return undefined;
    const gap = log === undefined ? { from: next, to: lastSeed } : log.gap(next, lastSeed);
    const from = gap?.from ?? lastSeed;
    soFar = { ...soFar, inLog: soFar.inLog + from - next };
    next = Math.min(from + RANGE, gap?.to ?? lastSeed);
    return gap === undefined ? undefined : { from, to: next, ...(maxSteps === undefined ? {} : { maxSteps }) };
  };
  const work = async () => {
    const worker = new Worker(new URL('./seed-worker.ts', import.meta.url), {
      // Most objects of a run are garbage soon.
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    });
    try {
      for (let range = takeRange(); range !== undefined; range = takeRange()) {
        const result = await runRange(worker, range);
        const { figures } = result;
        const ended = range.from + result.seeds;
        if (figures !== undefined)
          log?.add({ from: range.from, to: ended, figures, failed: result.failed.map(({ seed }) => ({ seed })) });
        soFar = {
          ...soFar,
          seeds: soFar.seeds + result.seeds,
          figures:
            soFar.figures === undefined || figures === undefined
              ? (figures ?? soFar.figures)
              : addFigures(soFar.figures, figures),
          failed: [...soFar.failed, ...result.failed].sort((left, right) => left.seed - right.seed),
          ...(result.broken === undefined ? {} : { broken: result.broken }),
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
