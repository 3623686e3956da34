import { parseArgs } from 'node:util';
import type { SimulationPlan } from '../../lib/testing/simulation/plan.ts';
import type { Figures } from '../../lib/testing/simulation/run-plan.ts';
import { shrink } from '../../lib/testing/simulation/shrink.ts';
import { describeFinding, timeline } from '../../lib/testing/simulation/timeline.ts';
import { runSeed } from './run-seed.ts';
import { runSeeds } from './seed-pool.ts';

const USAGE = `npm run sim -- [--seeds N] [--seed S] [--steps M] [--minutes T] [--jobs J] [--timeline]

  --seeds N    how many seeds to run; 5000, or 1 with --seed
  --seed S     the first of them; 1
  --steps M    the part in which things fail ends after M steps at the latest
  --minutes T  begins no further seed after this time; 3
  --jobs J     threads; as many as there are cores
  --timeline   shows who did what when, whether or not the seed fails`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    steps: { type: 'string' },
    minutes: { type: 'string', default: '3' },
    jobs: { type: 'string' },
    timeline: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const firstSeed = Number(values.seed ?? 1);
const seeds = Number(values.seeds ?? (values.seed === undefined ? 5_000 : 1));
const options = values.steps === undefined ? {} : { maxSteps: Number(values.steps) };

if (values.help) console.log(USAGE);
else if (values.timeline) await showTimeline(firstSeed);
else process.exitCode = await runAll();

async function runAll(): Promise<number> {
  const startedAtMs = performance.now();
  const untilMs = startedAtMs + Number(values.minutes) * 60_000;
  const jobs = values.jobs === undefined ? {} : { jobs: Number(values.jobs) };
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
    isOver,
    onProgress: (soFar) => {
      if (performance.now() - toldAtMs < 30_000) return;
      toldAtMs = performance.now();
      console.log(`${soFar.seeds} seeds, ${soFar.figures?.steps ?? 0} steps`);
    },
  });
  const seconds = (performance.now() - startedAtMs) / 1_000;
  if (figures !== undefined) console.log(describeFigures(run, figures, seconds));
  const [first] = failed;
  if (first === undefined) {
    console.log('every invariant held in every one of them');
    return 0;
  }
  for (const { seed, findings } of failed) {
    for (const finding of findings) console.log(`seed ${seed}: ${describeFinding(finding)}`);
  }
  await explain(first.seed);
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
  const invariant = original.findings[0]?.invariant;
  const run = (plan: SimulationPlan, keepTrace = false) =>
    runSeed(seed, { ...options, workloads: original.workloads, change: () => plan, keepTrace });
  const smallest = await shrink(original.plan, async (plan) => {
    const { findings, figures } = await run(plan);
    return { fails: findings[0]?.invariant === invariant, faults: figures.faults };
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
