import type { SimulationPlan } from '../../lib/testing/simulation/plan.ts';
import { isSameFault, shrink } from '../../lib/testing/simulation/shrink.ts';
import { timeline } from '../../lib/testing/simulation/timeline.ts';
import { runCommand } from './command-line.ts';
import { RunLog, revisionOf } from './run-log.ts';
import { type FinishedRun, reportRun } from './run-report.ts';
import { runSeed } from './run-seed.ts';
import { NOTHING_RUN, runSeeds } from './seed-pool.ts';
import { readSimCommand, type SimOptions, USAGE } from './sim-options.ts';

/** The options that affect what a seed does. */
type Steps = Pick<SimOptions, 'maxSteps'>;

process.exitCode = await runCommand(USAGE, async () => {
  const command = readSimCommand(process.argv.slice(2));
  if (command.type === 'run') return await runAll(command);
  if (command.type === 'help') console.log(USAGE);
  else await showTimeline(command.seed, stepsOf(command));
  return 0;
});

async function runAll(options: SimOptions): Promise<number> {
  const steps = stepsOf(options);
  const log = options.log === undefined ? undefined : new RunLog(options.log, revisionOf(steps));
  const startedAtMs = performance.now();
  const untilMs = startedAtMs + options.minutes * 60_000;
  let result = NOTHING_RUN;
  let toldAtMs = startedAtMs;
  const report = (more: Partial<FinishedRun> = {}) => {
    const seconds = (performance.now() - startedAtMs) / 1_000;
    return reportRun({ result, seconds, ...steps, ...(log === undefined ? {} : { totals: log.totals() }), ...more });
  };
  process.once('SIGINT', () => {
    const { lines, exitCode } = report({ interrupted: true });
    console.log(lines.join('\n'));
    process.exit(exitCode);
  });
  const { firstSeed, seeds, jobs } = options;
  result = await runSeeds({
    firstSeed,
    seeds,
    ...steps,
    ...(jobs === undefined ? {} : { jobs }),
    ...(log === undefined ? {} : { log }),
    stopsAtFailure: !options.all,
    isOver: () => performance.now() >= untilMs,
    onProgress: (soFar) => {
      result = soFar;
      if (performance.now() - toldAtMs < 30_000) return;
      toldAtMs = performance.now();
      const failures = soFar.failed.length === 0 ? '' : `, ${soFar.failed.length} failed`;
      console.log(`${soFar.seeds} seeds, ${soFar.figures?.steps ?? 0} steps${failures}`);
    },
  });
  const { lines, firstFailed, exitCode } = report();
  if (firstFailed !== undefined && !options.all) await explain(firstFailed, steps);
  console.log(lines.join('\n'));
  return exitCode;
}

/** Reduces a failing seed and prints its timeline. */
async function explain(seed: number, steps: Steps): Promise<void> {
  const original = await runSeed(seed, steps);
  if (original.violations.length === 0) {
    console.log(`\nseed ${seed} does not replay: something in it uses a clock, randomness or state of its own\n`);
    return;
  }
  const run = (plan: SimulationPlan, keepTrace = false) =>
    runSeed(seed, { ...steps, workloads: original.workloads, change: () => plan, keepTrace });
  const smallest = await shrink(original.plan, async (plan) => {
    const { violations, figures } = await run(plan);
    return { fails: isSameFault(violations[0], original.violations[0]), faults: figures.faults };
  });
  const { trace, violations } = await run(smallest, true);
  console.log(`\nseed ${seed} (${original.workloads.join(', ')}) with as little as it takes to fail so:\n`);
  console.log(timeline(trace, violations));
  console.log(`\nthe plan: ${JSON.stringify(smallest)}\n`);
}

async function showTimeline(seed: number, steps: Steps): Promise<void> {
  const { trace, violations, plan, workloads, digest } = await runSeed(seed, { ...steps, keepTrace: true });
  console.log(`seed ${seed} (${workloads.join(', ')}): ${JSON.stringify(plan)}\n`);
  console.log(timeline(trace, violations));
  console.log(`\n${trace.length} lines, digest ${digest}`);
}

function stepsOf({ maxSteps }: Steps): Steps {
  return maxSteps === undefined ? {} : { maxSteps };
}
