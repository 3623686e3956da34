import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';

/** Runs a task repeatedly, each time this long after the last run ended. Logs a run that fails. */
export async function repeatedly(
  name: string,
  task: (signal: AbortSignal) => Promise<unknown>,
  intervalMs: number,
  { clock, logger }: { clock: Clock; logger: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await pause(clock, intervalMs, signal);
    if (signal.aborted) return;
    try {
      await task(signal);
    } catch (error) {
      if (!signal.aborted) logger.error(`the ${name} failed; it runs again at its next time`, error);
    }
  }
}

/** Sleeps, or ends early when the signal aborts. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch(() => undefined);
}
