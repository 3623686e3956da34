import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { HeldTest } from './held-tests.ts';
import type { PlantedFault } from './planted-fault.ts';
import { plantedSources } from './planted-sources.ts';
import type { CaughtInHistory, PlantedTask } from './planted-worker.ts';

/**
 * Runs the fault's scenario, or seeds, on a copy of the engine with the fault in it, in a thread of its own, until one
 * catches it as expected.
 * @param seeds To try in turn; those that cannot show the fault are left out.
 * @param atMost Gives up after so many of them.
 * @returns The last history that something failed in, which may be another invariant than one would expect; undefined when nothing failed.
 * @throws Error when the fault cannot be planted.
 */
export async function catchFault(
  fault: PlantedFault,
  seeds: readonly number[],
  atMost = seeds.length,
): Promise<CaughtInHistory | undefined> {
  const worker = new Worker(new URL('./planted-worker.ts', import.meta.url), {
    workerData: { fault, seeds, atMost, sources: plantedSources(fault) } satisfies PlantedTask,
    // Most of what a run makes dies young.
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  });
  try {
    const [caught] = (await once(worker, 'message')) as [CaughtInHistory | undefined];
    return caught;
  } finally {
    await worker.terminate();
  }
}

/**
 * Runs the tests that hold these faults, each with its fault in place, in one process of their own.
 * @returns What came of each test, by the name of the fault.
 * @throws Error when the process ends without an answer.
 */
export async function runHeldTestsApart(names: readonly string[]): Promise<ReadonlyMap<string, HeldTest>> {
  // A test that runs this is run by Vitest itself, and its variables would tell the process that it is such a run.
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('VITEST')));
  const held = fork(new URL('./held-tests-process.ts', import.meta.url), names, { env, execArgv: [] });
  const ended = once(held, 'exit').then(([code]) => {
    throw new Error(`the tests of the planted faults ended with exit code ${code} and no answer`);
  });
  const [outcomes] = await Promise.race([once(held, 'message') as Promise<[[string, HeldTest][]]>, ended]);
  return new Map(outcomes);
}
