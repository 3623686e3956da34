import { runCommand, UsageError } from '../command-line.ts';
import { writeSimulationPage } from '../page/simulation-page.ts';
import { catchFault, runHeldTestsApart } from './catch-fault.ts';
import { type Caught, type CaughtFaults, readCaughtFaults, writeCaughtFaults } from './caught-faults.ts';
import type { PlantedFault } from './planted-fault.ts';
import { PLANTED_FAULTS } from './planted-faults.ts';
import { type PlantedCommand, readPlantedCommand, USAGE } from './planted-options.ts';

/** The result for one fault in this run. */
interface Seen {
  readonly name: string;
  /** Undefined when no expected invariant caught it. */
  readonly caught: Caught | undefined;
}

process.exitCode = await runCommand(USAGE, async () => {
  const command = readPlantedCommand(process.argv.slice(2));
  if (!command.help) return await catchAll(command);
  console.log(USAGE);
  return 0;
});

async function catchAll(options: PlantedCommand): Promise<number> {
  const before = readCaughtFaults();
  const named = PLANTED_FAULTS.filter(({ name }) => name.includes(options.only));
  if (named.length === 0)
    throw new UsageError(`--only '${options.only}': no fault's name holds that, none was planted`);
  const left = named.filter(({ name }) => !(options.missing && before[name] !== undefined));
  const seen: Seen[] = [];
  const note = (one: Seen) => {
    seen.push(one);
    if (one.caught !== undefined) writeCaughtFaults(inOrder({ ...readCaughtFaults(), [one.name]: one.caught }));
  };
  for (const one of await catchByTests(left.filter(({ unseen }) => unseen !== undefined))) note(one);
  const inHistories = left.filter(({ unseen }) => unseen === undefined);
  const work = async () => {
    for (let fault = inHistories.shift(); fault !== undefined; fault = inHistories.shift())
      note({ name: fault.name, caught: await catchInHistory(fault, options, before[fault.name]) });
  };
  await Promise.all(Array.from({ length: options.jobs }, work));
  writeSimulationPage();
  tellSummary(seen, before);
  return seen.every(({ caught }) => caught !== undefined) ? 0 : 1;
}

/**
 * Tries the history that caught the fault last time first. It searches others only if that one does not catch it any
 * more.
 */
async function catchInHistory(
  fault: PlantedFault,
  { anew, seeds }: PlantedCommand,
  before: Caught | undefined,
): Promise<Caught | undefined> {
  const known = anew || typeof before?.seed !== 'number' ? [] : [before.seed];
  const first = Array.from({ length: seeds }, (_, index) => index + 1);
  const found = await catchFault(fault, [...known, ...first]).catch(tellError);
  const isAsExpected = found !== undefined && fault.expected.includes(found.invariant);
  const where = found?.seed === 'scenario' ? 'scenario' : `seed ${found?.seed}`;
  const how = found === undefined ? 'NOT CAUGHT' : `${found.invariant}, ${where}, step ${found.steps}`;
  console.log(`${isAsExpected ? 'caught' : 'AMISS '}  ${fault.name}: ${how}`);
  return isAsExpected ? found : undefined;
}

async function catchByTests(faults: readonly PlantedFault[]): Promise<readonly Seen[]> {
  if (faults.length === 0) return [];
  const outcomes = await runHeldTestsApart(faults.map(({ name }) => name));
  return faults.map(({ name }) => {
    const outcome = outcomes.get(name) ?? 'did not run';
    console.log(`${outcome === 'failed' ? 'caught' : 'AMISS '}  ${name}: its test ${outcome}`);
    return { name, caught: outcome === 'failed' ? { seed: 'test' } : undefined };
  });
}

/** A fault that cannot be planted counts as not caught. */
function tellError(error: unknown): undefined {
  console.log(error instanceof Error ? error.message : String(error));
  return undefined;
}

function tellSummary(seen: readonly Seen[], before: CaughtFaults): void {
  const uncaught = seen.filter(({ caught }) => caught === undefined);
  const caughtElsewhere = seen.filter(({ name, caught }) => caught !== undefined && caught.seed !== before[name]?.seed);
  const asBefore = seen.length - uncaught.length - caughtElsewhere.length;
  console.log(
    `\n${seen.length} planted: ${asBefore} caught as before, ${caughtElsewhere.length} caught in another way, ${uncaught.length} not caught`,
  );
  for (const { name, caught } of caughtElsewhere)
    console.log(`  another way  ${name}: ${before[name]?.seed ?? 'not yet'} before, ${caught?.seed} now`);
  for (const { name } of uncaught) console.log(`  not caught   ${name}`);
}

/** In the order of the list, without faults that are not planted any more. */
function inOrder(caught: CaughtFaults): CaughtFaults {
  return Object.fromEntries(
    PLANTED_FAULTS.flatMap(({ name }) => (caught[name] === undefined ? [] : [[name, caught[name]] as const])),
  );
}
