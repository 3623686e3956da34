import { availableParallelism } from 'node:os';
import { typedOptions, wholeNumber } from '../command-line.ts';

export const USAGE = `npm run sim:planted -- [--only TEXT] [--missing] [--seeds N] [--jobs J] [--anew]

Plants each fault in a copy of the engine. Runs the seed, scenario or test that caught it the last time, and searches
other seeds when that one no longer does. Writes what it found to test/simulation/planted/caught.json and to the tables in
docs/simulation.md, and ends with a summary.

  --only TEXT  the faults whose names hold the text
  --missing    the faults that no seed is known to catch
  --seeds N    gives up after so many; 5000
  --jobs J     threads; as many as there are cores
  --anew       begins at seed 1, instead of at the one that caught it the last time

Exit code: 0 when all of them were caught as expected, 1 when one was not, 2 when none was planted.`;

export interface PlantedCommand {
  readonly help: boolean;
  readonly only: string;
  readonly missing: boolean;
  readonly seeds: number;
  readonly jobs: number;
  readonly anew: boolean;
}

const OPTIONS = {
  only: 'string',
  missing: 'boolean',
  seeds: 'string',
  jobs: 'string',
  anew: 'boolean',
  help: 'boolean',
} as const;

/** @throws UsageError for a command line that cannot be run. */
export function readPlantedCommand(args: readonly string[]): PlantedCommand {
  const typed = typedOptions(args, OPTIONS);
  return {
    help: typed.help ?? false,
    only: typed.only ?? '',
    missing: typed.missing ?? false,
    seeds: wholeNumber('seeds', typed.seeds ?? '5000', 1),
    jobs: wholeNumber('jobs', typed.jobs ?? String(availableParallelism()), 1),
    anew: typed.anew ?? false,
  };
}
