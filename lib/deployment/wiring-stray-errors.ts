import { processStrayErrors } from '../adapters/system/process-stray-errors.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { StrayErrors } from '../ports/stray-errors.ts';

/** The stray errors of this process. */
export const strayErrors: StrayErrors = processStrayErrors;

/** The label when it is not known whose code threw an error. */
const UNKNOWN = 'unknown';

/** Logs and counts an error that nobody caught and that belongs to no pass. */
export function strayErrorReport(logger: Logger, metrics: Metrics): (error: unknown) => void {
  return (error) => {
    metrics.record('UnhandledError', 1, { Group: UNKNOWN, Kind: UNKNOWN });
    logger.error('a promise was rejected and no code awaited it', error, { group: UNKNOWN });
  };
}

/**
 * After this call, a rejected promise that nobody awaits does not end the process: its pass fails, or `report` is
 * called. An error of a controller's callback fails its pass too. Any other thrown error goes to the earlier
 * listeners. The listeners for rejections are removed, because the one of Lambda's runtime ends the process.
 */
export function surviveStrayErrors(report: (error: unknown) => void): void {
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (error) => {
    if (!processStrayErrors.claim(error)) report(error);
  });
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error, origin) => {
    if (processStrayErrors.claim(error)) return;
    for (const listener of before) listener.call(process, error, origin);
    if (before.length > 0) return;
    report(error);
    process.exit(1);
  });
}
