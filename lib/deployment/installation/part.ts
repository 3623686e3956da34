import { pause } from '../../engine/runtime/repeatedly.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';

/** The parts of an installation. They run in one process, or each in its own. */
export const PART_NAMES = ['relay', 'worker', 'wake', 'sweep', 'resync'] as const;
export type PartName = (typeof PART_NAMES)[number];

/** Runs until the signal aborts and all started work has ended. */
export type Part = (signal: AbortSignal) => Promise<void>;

const FIRST_RESTART_MS = 1_000;
const LONGEST_RESTART_MS = 30_000;

/** Restarts a part after each failure, with a growing delay, until the signal aborts. */
export async function keepRunning(
  name: string,
  part: Part,
  { clock, logger }: { clock: Clock; logger: Logger },
  signal: AbortSignal,
): Promise<void> {
  let restartMs = FIRST_RESTART_MS;
  while (!signal.aborted) {
    const startedAtMs = clock.monotonic();
    try {
      await part(signal);
      if (signal.aborted) return;
      logger.warn(`the ${name} ended unexpectedly and is started again`);
    } catch (error) {
      if (signal.aborted) return;
      logger.error(`the ${name} failed and is started again`, error);
    }
    if (clock.monotonic() - startedAtMs > 10 * restartMs) restartMs = FIRST_RESTART_MS;
    await pause(clock, restartMs, signal);
    restartMs = Math.min(2 * restartMs, LONGEST_RESTART_MS);
  }
}
