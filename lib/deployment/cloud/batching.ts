import type { Settings } from '../settings/settings-schema.ts';

/** The largest batch of a FIFO queue that Lambda passes to one invocation. */
export const LARGEST_BATCH = 10;

/** Wake, sweep and resync, and two relays while one takes over from the other. */
const OTHER_EXECUTIONS = 5;

/**
 * The number of messages in a batch, and the number of batches at the same time, so that no more passes run than
 * allowed. A batch runs its message groups concurrently. Lambda accepts no limit below 2.
 */
export function batching(passesAtOnce: number): { readonly batchSize: number; readonly maximumConcurrency: number } {
  const batchSize = Math.min(LARGEST_BATCH, Math.floor(passesAtOnce / 2));
  return { batchSize, maximumConcurrency: Math.min(1_000, Math.floor(passesAtOnce / batchSize)) };
}

/** The largest number of parallel executions of a stage's functions. @param groups the number of installed groups. */
export function neededExecutions(
  { concurrency, resyncConcurrency }: Pick<Settings, 'concurrency' | 'resyncConcurrency'>,
  groups: number,
): number {
  const ofGroup = batching(concurrency).maximumConcurrency + batching(resyncConcurrency).maximumConcurrency;
  return groups * ofGroup + OTHER_EXECUTIONS;
}
