import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { HeldTest } from './held-tests.ts';
import type { PlantedFault } from './planted-fault.ts';
import { plantedSources } from './planted-sources.ts';
import type { CaughtInHistory, PlantedTask } from './planted-worker.ts';

/**
 * Runs the fault's scenario, or seeds, in a separate thread on a copy of the engine with the fault, until one of them
 * catches it as expected.
 * @param seeds tried in order; seeds that cannot show the fault are skipped.
 * @param atMost the largest number of seeds that are tried.
 * @returns the last history in which something failed, which may be an unexpected invariant; undefined when nothing
 * failed.
 * @throws Error when the fault cannot be planted.
 */
export async function catchFault(
  fault: PlantedFault,
  seeds: readonly number[],
  atMost = seeds.length,
): Promise<CaughtInHistory | undefined> {
  const worker = new Worker(new URL('./planted-worker.ts', import.meta.url), {
    workerData: { fault, seeds, atMost, sources: plantedSources(fault) } satisfies PlantedTask,
    // Most objects of a run are garbage soon.
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
 * Runs the tests that hold these faults, each with its fault in place, in one separate process.
 * @returns the result of each test, by the name of the fault.
 * @throws Error when the process ends without an answer.
 */
export async function runHeldTestsApart(names: readonly string[]): Promise<ReadonlyMap<string, HeldTest>> {
  // When a test runs this, Vitest has set variables that would make the new process believe that it is a part of that
  // run.
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('VITEST')));
  const held = fork(new URL('./held-tests-process.ts', import.meta.url), names, { env, execArgv: [] });
  const ended = once(held, 'exit').then(([code]) => {
    throw new Error(`the tests of the planted faults ended with exit code ${code} and no answer`);
  });
  const [outcomes] = await Promise.race([once(held, 'message') as Promise<[[string, HeldTest][]]>, ended]);
  return new Map(outcomes);
}
