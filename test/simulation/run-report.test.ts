import { describe, expect, it } from 'vitest';
import { addFigures, NO_FIGURES } from '../../lib/testing/simulation/figures.ts';
import { runRange } from './run-range.ts';
import { reportRun } from './run-report.ts';
import { NOTHING_RUN } from './seed-pool.ts';

const TEN = { ...NOTHING_RUN, seeds: 10, figures: { ...NO_FIGURES, steps: 99 } };
const violation = { invariant: 'I2', what: 'nobody saw it', atMs: 0, step: 3 } as const;
const failing = { ...TEN, failed: [{ seed: 4, violations: [violation] }] };

describe('what a run of seeds comes to', () => {
  it('R-5.5 all of them held', () => {
    const { exitCode, lines } = reportRun({ result: TEN, seconds: 1 });
    expect(exitCode).toBe(0);
    expect(lines.at(-1)).toBe('every invariant held in every one of them');
  });

  it('R-5.5 the summary shows how often each thing was drawn, and 0 for what never was, when workloads count it', () => {
    const figures = addFigures(
      { ...NO_FIGURES, drawn: { 'marks copied': 2 } },
      { ...NO_FIGURES, drawn: { 'marks copied': 3, 'by quota': 0 } },
    );
    const { lines } = reportRun({ result: { ...TEN, figures }, seconds: 1 });
    expect(lines).toContain('drawn: by quota 0, marks copied 5');
  });

  it('R-5.5 nothing that ran is no success', () => {
    const { exitCode, lines } = reportRun({ result: NOTHING_RUN, seconds: 1 });
    expect(exitCode).toBe(2);
    expect(lines).toEqual(['nothing was run']);
  });

  it('R-5.5 a failed seed is reported with everything that is needed to repeat it', () => {
    const { exitCode, lines, firstFailed } = reportRun({ result: failing, seconds: 1, maxSteps: 50 });
    expect(exitCode).toBe(1);
    expect(firstFailed).toBe(4);
    expect(lines.at(-1)).toBe('1 of 10 seeds failed; again: npm run sim -- --seed 4 --steps 50');
  });

  it('R-5.5 a seed that failed in an earlier run of the log has failed', () => {
    const totals = { seeds: 35, figures: NO_FIGURES, failed: [7] };
    for (const result of [TEN, { ...NOTHING_RUN, inLog: 25 }]) {
      const { exitCode, lines, firstFailed } = reportRun({ result, seconds: 1, totals });
      expect(exitCode).toBe(1);
      expect(firstFailed).toBe(7);
      expect(lines.join('\n')).not.toContain('every invariant held');
      expect(lines.at(-1)).toBe('1 of 35 seeds failed; again: npm run sim -- --seed 7');
    }
  });

  it('R-5.5 a seed in the log counts as run', () => {
    const totals = { seeds: 25, figures: NO_FIGURES, failed: [] };
    expect(reportRun({ result: { ...NOTHING_RUN, inLog: 25 }, seconds: 1, totals }).exitCode).toBe(0);
    expect(reportRun({ result: NOTHING_RUN, seconds: 1, totals }).exitCode).toBe(2);
  });

  it('R-5.5 the seeds that ran before an interruption are reported, without a verdict', () => {
    const { exitCode, lines } = reportRun({ result: TEN, seconds: 1, interrupted: true });
    expect(exitCode).toBe(130);
    expect(lines.join('\n')).toMatch(/^10 seeds in 1 s: 99 steps.*interrupted: 10 seeds had ended$/s);
  });

  it('R-5.5 a seed that throws is reported by its number, after the seeds before it', async () => {
    const runOne = async (seed: number) => {
      if (seed === 12) throw new Error("seed 12, workload timers, action 'breaks' threw: no such thing");
      return { figures: { ...NO_FIGURES, steps: 5 }, violations: [] };
    };
    const { broken, ...ran } = await runRange({ from: 10, to: 20 }, runOne);
    expect(ran).toMatchObject({ seeds: 2, figures: { steps: 10 }, failed: [] });
    const result = { ...NOTHING_RUN, ...ran, ...(broken && { broken }) };
    const { exitCode, lines } = reportRun({ result, seconds: 1 });
    expect(exitCode).toBe(1);
    expect(lines.at(-1)).toBe(
      "seed 12, workload timers, action 'breaks' threw: no such thing\nagain: npm run sim -- --seed 12 --timeline",
    );
  });
});
