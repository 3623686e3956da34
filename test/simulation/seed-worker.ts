import { parentPort } from 'node:worker_threads';
import { runRange, type SeedRange } from './run-range.ts';
import { runSeed } from './run-seed.ts';

// Thousands of errors are thrown here on purpose, and nobody reads their stack traces.
Error.stackTraceLimit = 0;

parentPort?.on('message', async (range: SeedRange) => {
  parentPort?.postMessage(await runRange(range, runSeed));
});
