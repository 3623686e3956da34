import { processStrayErrors } from '../adapters/system/process-stray-errors.ts';

let watched = false;

/**
 * From now on a promise that a controller leaves rejected fails its pass, and not the process. Any other one ends the process
 * as it does without this, unless a test runner listens as well: that reports both.
 */
export function watchStrayErrors(): void {
  if (watched) return;
  watched = true;
  process.on('unhandledRejection', (error) => {
    if (!processStrayErrors.claim(error) && process.listenerCount('unhandledRejection') === 1) throw error;
  });
}
