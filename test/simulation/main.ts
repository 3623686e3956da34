import { parseArgs } from 'node:util';
import type { Figures } from '../../lib/testing/simulation/figures.ts';
import type { SimulationPlan } from '../../lib/testing/simulation/plan.ts';
import { isSameFault, shrink } from '../../lib/testing/simulation/shrink.ts';
import { describeFinding, timeline } from '../../lib/testing/simulation/timeline.ts';
import { RunLog } from './run-log.ts';
import { runSeed } from './run-seed.ts';
import { runSeeds } from './seed-pool.ts';

const USAGE = `npm run sim -- [--seeds N] [--seed S] [--steps M] [--minutes T] [--jobs J] [--all] [--log FILE] [--timeline]

  --seeds N    how many seeds to run; as many as fit into three minutes, or 1 with --seed
  --seed S     the first of them; 1
  --steps M    the part in which things fail ends after M steps at the latest
  --minutes T  begins no further seed after this time; 3, or none with --seeds
  --jobs J     threads; as many as there are cores
  --all        goes on after a seed that fails, and tells all of them
  --log FILE   notes what was run, as a line of JSON for each range of seeds; what it has already of the same sources is
               not run again, and the totals are those of all of it
  --timeline   shows who did what when, whether or not the seed fails`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    steps: { type: 'string' },
    minutes: { type: 'string' },
    jobs: { type: 'string' },
    all: { type: 'boolean', default: false },
    log: { type: 'string' },
    timeline: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const firstSeed = Number(values.seed ?? 1);
const seeds = Number(values.seeds ?? (values.seed === undefined ? 1_000_000 : 1));
const minutes = Number(values.minutes ?? (values.seeds === undefined ? 3 : Number.POSITIVE_INFINITY));
const options = values.steps === undefined ? {} : { maxSteps: Number(values.steps) };

if (values.help) console.log(USAGE);
else if (values.timeline) await showTimeline(firstSeed);
else process.exitCode = await runAll();

async function runAll(): Promise<number> {
  const startedAtMs = performance.now();
  const untilMs = startedAtMs + minutes * 60_000;
  const jobs = values.jobs === undefined ? {} : { jobs: Number(values.jobs) };
  const log = values.log === undefined ? undefined : new RunLog(values.log);
  const isOver = () => performance.now() >= untilMs;
  let toldAtMs = startedAtMs;
  const {
    seeds: run,
    figures,
    failed,
  } = await runSeeds({
    firstSeed,
    seeds,
    ...options,
    ...jobs,
    ...(log === undefined ? {} : { log }),
    stopsAtFailure: !values.all,
    isOver,
    onProgress: (soFar) => {
      if (performance.now() - toldAtMs < 30_000) return;
      toldAtMs = performance.now();
      const failures = soFar.failed.length === 0 ? '' : `, ${soFar.failed.length} failed`;
      console.log(`${soFar.seeds} seeds, ${soFar.figures?.steps ?? 0} steps${failures}`);
    },
  });
  const seconds = (performance.now() - startedAtMs) / 1_000;
  if (figures !== undefined) console.log(describeFigures(run, figures, seconds));
  if (log !== undefined) console.log(`in the log: ${JSON.stringify(log.totals())}`);
  const [first] = failed;
  if (first === undefined) {
    console.log('every invariant held in every one of them');
    return 0;
  }
  for (const { seed, findings } of failed) {
    for (const finding of findings) console.log(`seed ${seed}: ${describeFinding(finding)}`);
  }
  if (!values.all) await explain(first.seed);
  console.log(`${failed.length} of ${run} seeds failed; again: npm run sim -- --seed ${first.seed}`);
  return 1;
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

/** Makes a failing seed small and shows what happened in it. */
async function explain(seed: number): Promise<void> {
  const original = await runSeed(seed, options);
  const run = (plan: SimulationPlan, keepTrace = false) =>
    runSeed(seed, { ...options, workloads: original.workloads, change: () => plan, keepTrace });
  const smallest = await shrink(original.plan, async (plan) => {
    const { findings, figures } = await run(plan);
    return { fails: isSameFault(findings[0], original.findings[0]), faults: figures.faults };
  });
  const { trace, findings } = await run(smallest, true);
  console.log(`\nseed ${seed} (${original.workloads.join(', ')}) with as little as it takes to fail so:\n`);
  console.log(timeline(trace, findings));
  console.log(`\nthe plan: ${JSON.stringify(smallest)}`);
}

async function showTimeline(seed: number): Promise<void> {
  const { trace, findings, plan, workloads, digest } = await runSeed(seed, { ...options, keepTrace: true });
  console.log(`seed ${seed} (${workloads.join(', ')}): ${JSON.stringify(plan)}\n`);
  console.log(timeline(trace, findings));
  console.log(`\n${trace.length} lines, digest ${digest}`);
}
