import { parentPort } from 'node:worker_threads';
import { runRange, type SeedRange } from './run-range.ts';
import { runSeed } from './run-seed.ts';

// Errors are part of the game here, thrown by the thousand: nobody reads where from.
Error.stackTraceLimit = 0;

parentPort?.on('message', async (range: SeedRange) => {
  parentPort?.postMessage(await runRange(range, runSeed));
});
