import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { writeSimulationPage } from '../page/simulation-page.ts';
import { catchFault } from './catch-fault.ts';
import { type CaughtFaults, readCaughtFaults, writeCaughtFaults } from './caught-faults.ts';
import { PLANTED_FAULTS } from './planted-faults.ts';

const USAGE = `npm run sim:planted -- [--only TEXT] [--missing] [--seeds N] [--jobs J] [--anew]

Plants each fault in a copy of the engine and runs seeds until one catches it. Writes what it found to
test/simulation/planted/caught.json and to the table in docs/simulation.md.

  --only TEXT  the faults whose names hold the text
  --missing    the faults that no seed is known to catch
  --seeds N    gives up after so many; 5000
  --jobs J     threads; as many as there are cores
  --anew       begins at seed 1, instead of at the one that caught it the last time`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    missing: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '5000' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    anew: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(USAGE);
else process.exitCode = await catchAll();

async function catchAll(): Promise<number> {
  const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1);
  const uncaught: string[] = [];
  let caught: CaughtFaults = readCaughtFaults();
  const left = PLANTED_FAULTS.filter(
    ({ name }) => name.includes(values.only) && !(values.missing && caught[name] !== undefined),
  );
  const work = async () => {
    for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
      const { name, expected } = fault;
      const known = values.anew || typeof caught[name]?.seed !== 'number' ? [] : [caught[name].seed];
      const found = await catchFault(fault, [...known, ...seeds]).catch(tellError);
      const isAsExpected = found !== undefined && expected.includes(found.invariant);
      const how =
        found === undefined
          ? 'NOT CAUGHT'
          : `${found.invariant}, ${found.seed === 'scenario' ? found.seed : `seed ${found.seed}`}, step ${found.steps}`;
      console.log(`${isAsExpected ? 'caught' : 'AMISS '}  ${name}: ${how}`);
      if (!isAsExpected) uncaught.push(name);
      else {
        caught = { ...caught, [name]: found };
        writeCaughtFaults(inOrder(caught));
      }
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  writeSimulationPage();
  return uncaught.length === 0 ? 0 : 1;
}

/** A fault that cannot be planted is one that is not caught. */
function tellError(error: unknown): undefined {
  console.log(error instanceof Error ? error.message : String(error));
  return undefined;
}

/** As they are listed; what is no longer planted is left out. */
function inOrder(caught: CaughtFaults): CaughtFaults {
  return Object.fromEntries(
    PLANTED_FAULTS.flatMap(({ name }) => (caught[name] === undefined ? [] : [[name, caught[name]] as const])),
  );
}
