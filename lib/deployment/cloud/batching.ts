import type { Settings } from '../settings/settings-schema.ts';

/** The most that SQS hands to one invocation of a FIFO queue. */
export const LARGEST_BATCH = 10;

/** Wake, sweep and resync, and two relays while one takes over from the other. */
const OTHER_EXECUTIONS = 5;

/**
 * How many messages a batch has, and how many batches run at the same time, so that together they are no more passes than allowed. A
 * batch runs its message groups concurrently. Lambda takes no bound below 2.
 */
export function batching(passesAtOnce: number): { readonly batchSize: number; readonly maximumConcurrency: number } {
  const batchSize = Math.min(LARGEST_BATCH, Math.floor(passesAtOnce / 2));
  return { batchSize, maximumConcurrency: Math.min(1_000, Math.floor(passesAtOnce / batchSize)) };
}

/** How many executions of a stage's functions can run at the same time. @param groups how many are installed. */
export function neededExecutions(
  { concurrency, resyncConcurrency }: Pick<Settings, 'concurrency' | 'resyncConcurrency'>,
  groups: number,
): number {
  const ofGroup = batching(concurrency).maximumConcurrency + batching(resyncConcurrency).maximumConcurrency;
  return groups * ofGroup + OTHER_EXECUTIONS;
}
