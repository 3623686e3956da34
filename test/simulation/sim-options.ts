import { positiveNumber, typedOptions, UsageError, wholeNumber } from './command-line.ts';

export const USAGE = `npm run sim -- [--seeds N] [--seed S] [--steps M] [--minutes T] [--jobs J] [--all] [--log FILE] [--timeline]

  --seeds N    how many seeds to run; as many as fit into three minutes, or 1 with --seed
  --seed S     the first of them; 1
  --steps M    the part in which things fail ends after M steps at the latest
  --minutes T  begins no further seed after this time; 3, or none with --seeds
  --jobs J     threads; as many as there are cores
  --all        goes on after a seed that fails, and tells all of them
  --log FILE   notes what was run, as a line of JSON for each range of seeds; what it has already of the same sources is
               not run again, and the totals and the verdict are those of all of it
  --timeline   shows who did what when in one seed, whether or not it fails; goes with --seed and --steps only

Exit code: 0 when every invariant held, 1 when one did not, 2 when nothing was run, 130 when it was interrupted.`;

export interface SimOptions {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly maxSteps?: number;
  readonly minutes: number;
  readonly jobs?: number;
  readonly all: boolean;
  readonly log?: string;
}

export type SimCommand =
  | { readonly type: 'help' }
  | { readonly type: 'timeline'; readonly seed: number; readonly maxSteps?: number }
  | ({ readonly type: 'run' } & SimOptions);

const OPTIONS = {
  seeds: 'string',
  seed: 'string',
  steps: 'string',
  minutes: 'string',
  jobs: 'string',
  all: 'boolean',
  log: 'string',
  timeline: 'boolean',
  help: 'boolean',
} as const;
/** Options that do not apply to the timeline of one seed. */
const OF_MANY = ['seeds', 'minutes', 'jobs', 'all', 'log'] as const;

/** @throws UsageError for a command line that cannot be run. */
export function readSimCommand(args: readonly string[]): SimCommand {
  const typed = typedOptions(args, OPTIONS);
  if (typed.help === true) return { type: 'help' };
  const firstSeed = wholeNumber('seed', typed.seed ?? '1', 0);
  const steps = typed.steps === undefined ? {} : { maxSteps: wholeNumber('steps', typed.steps, 0) };
  if (typed.timeline === true) {
    const idle = OF_MANY.find((name) => typed[name] !== undefined);
    if (idle !== undefined) throw new UsageError(`--timeline shows one seed: --${idle} does not go with it`);
    return { type: 'timeline', seed: firstSeed, ...steps };
  }
  if (typed.log === '') throw new UsageError('--log: the name of a file is wanted');
  return {
    type: 'run',
    firstSeed,
    seeds:
      typed.seeds === undefined ? (typed.seed === undefined ? 1_000_000 : 1) : wholeNumber('seeds', typed.seeds, 1),
    minutes: minutesOf(typed),
    all: typed.all ?? false,
    ...steps,
    ...(typed.jobs === undefined ? {} : { jobs: wholeNumber('jobs', typed.jobs, 1) }),
    ...(typed.log === undefined ? {} : { log: typed.log }),
  };
}

function minutesOf({ minutes, seeds }: { readonly minutes?: string; readonly seeds?: string }): number {
  if (minutes !== undefined) return positiveNumber('minutes', minutes);
  return seeds === undefined ? 3 : Number.POSITIVE_INFINITY;
}
