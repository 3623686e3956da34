import { processStrayErrors } from '../adapters/system/process-stray-errors.ts';

let watched = false;

/**
 * After this call, a promise that a controller leaves rejected fails its pass and does not end the process. Any other
 * one ends the process, as without this call. If a test runner listens as well, it reports both.
 */
export function watchStrayErrors(): void {
  if (watched) return;
  watched = true;
  process.on('unhandledRejection', (error) => {
    if (!processStrayErrors.claim(error) && process.listenerCount('unhandledRejection') === 1) throw error;
  });
}
