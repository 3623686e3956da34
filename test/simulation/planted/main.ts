import { runCommand, UsageError } from '../command-line.ts';
import { writeSimulationPage } from '../page/simulation-page.ts';
import { catchFault } from './catch-fault.ts';
import { type CaughtFaults, readCaughtFaults, writeCaughtFaults } from './caught-faults.ts';
import { PLANTED_FAULTS } from './planted-faults.ts';
import { type PlantedCommand, readPlantedCommand, USAGE } from './planted-options.ts';

process.exitCode = await runCommand(USAGE, async () => {
  const command = readPlantedCommand(process.argv.slice(2));
  if (!command.help) return await catchAll(command);
  console.log(USAGE);
  return 0;
});

async function catchAll(options: PlantedCommand): Promise<number> {
  const seeds = Array.from({ length: options.seeds }, (_, index) => index + 1);
  const uncaught: string[] = [];
  let caught: CaughtFaults = readCaughtFaults();
  const left = PLANTED_FAULTS.filter(
    ({ name }) => name.includes(options.only) && !(options.missing && caught[name] !== undefined),
  );
  if (!PLANTED_FAULTS.some(({ name }) => name.includes(options.only)))
    throw new UsageError(`--only '${options.only}': no fault's name holds that, none was planted`);
  const work = async () => {
    for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
      const { name, expected } = fault;
      const known = options.anew || typeof caught[name]?.seed !== 'number' ? [] : [caught[name].seed];
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
  await Promise.all(Array.from({ length: options.jobs }, work));
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
