import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { PlantedFault } from './planted-fault.ts';
import type { Caught, PlantedTask } from './planted-worker.ts';

/** Runs seeds on a copy of the engine with the fault in it, in a thread of its own, until one catches it as expected. */
export async function catchFault(fault: PlantedFault, seeds: readonly number[]): Promise<Caught> {
  const worker = new Worker(new URL('./planted-worker.ts', import.meta.url), {
    workerData: { fault, seeds } satisfies PlantedTask,
  });
  try {
    const [caught] = (await once(worker, 'message')) as [Caught];
    return caught;
  } finally {
    await worker.terminate();
  }
}
