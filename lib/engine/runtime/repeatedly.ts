import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';

/** Does a task again and again, each time this long after the last one ended. A failed one is logged. */
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
