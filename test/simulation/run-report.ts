import type { Figures } from '../../lib/testing/simulation/figures.ts';
import { describeViolation } from '../../lib/testing/simulation/timeline.ts';
import type { LogTotals } from './run-log.ts';
import type { PoolResult } from './seed-pool.ts';

export interface FinishedRun {
  readonly result: PoolResult;
  readonly seconds: number;
  readonly maxSteps?: number;
  /** The totals of everything in the log, if there is one. */
  readonly totals?: LogTotals;
  /** Whether a person ended the run. */
  readonly interrupted?: boolean;
}

export interface RunReport {
  readonly lines: readonly string[];
  /** The first failed seed, in this run or in the log. */
  readonly firstFailed: number | undefined;
  readonly exitCode: 0 | 1 | 2 | 130;
}

/** The report of a run of seeds. With a log, the verdict covers everything in the log. */
export function reportRun({ result, seconds, maxSteps, totals, interrupted = false }: FinishedRun): RunReport {
  const { seeds, inLog, figures, failed, broken } = result;
  const lines: string[] = [];
  if (figures !== undefined) lines.push(describeFigures(seeds, figures, seconds), ...describeDrawn(figures));
  if (totals !== undefined) lines.push(`in the log: ${JSON.stringify(totals)}`);
  if (interrupted) lines.push(`interrupted: ${seeds} seeds had ended`);
  for (const { seed, violations } of failed) {
    for (const violation of violations) lines.push(`seed ${seed}: ${describeViolation(violation)}`);
  }
  const known = totals?.failed ?? [];
  const all = [...new Set([...failed.map(({ seed }) => seed), ...known])].sort((left, right) => left - right);
  const firstFailed = all[0];
  if (firstFailed !== undefined) {
    const of = Math.max(seeds, totals?.seeds ?? 0);
    lines.push(`${all.length} of ${of} seeds failed; again: ${again(firstFailed, maxSteps)}`);
  }
  if (broken !== undefined) lines.push(`${broken.what}\nagain: ${again(broken.seed, maxSteps)} --timeline`);
  if (interrupted) return { lines, firstFailed, exitCode: 130 };
  if (firstFailed !== undefined || broken !== undefined) return { lines, firstFailed, exitCode: 1 };
  if (seeds + inLog === 0) return { lines: [...lines, 'nothing was run'], firstFailed, exitCode: 2 };
  if (seeds === 0) lines.push('all of it is in the log: nothing was left to run');
  return { lines: [...lines, 'every invariant held in every one of them'], firstFailed, exitCode: 0 };
}

function again(seed: number, maxSteps: number | undefined): string {
  return `npm run sim -- --seed ${seed}${maxSteps === undefined ? '' : ` --steps ${maxSteps}`}`;
}

/** Something that never happened in many seeds is not tested by them. */
function describeDrawn({ drawn = {} }: Figures): string[] {
  const counts = Object.entries(drawn).map(([what, count]) => `${what} ${count}`);
  return counts.length === 0 ? [] : [`drawn: ${counts.join(', ')}`];
}

function describeFigures(run: number, figures: Figures, seconds: number): string {
  const { steps, simulatedMs, passes, crashes, faults, duplicates, restores, convergedAfterMs, worstLatenessMs } =
    figures;
  return [
    `${run} seeds in ${seconds.toFixed(0)} s: ${steps} steps, ${(simulatedMs / 3_600_000).toFixed(0)} simulated hours, ${passes} passes`,
    `${crashes} crashes, ${faults} faults at calls, ${duplicates} messages received again, ${restores} restores of the cluster`,
    `converged at most ${(convergedAfterMs / 1_000).toFixed(0)} s after the last fault; deadlines in steady state at most ${(worstLatenessMs / 1_000).toFixed(1)} s late`,
  ].join('\n');
}
