import type { Clock } from '../../ports/clock.ts';

/** How far a stored time may lie ahead of the clock that reads it. More than that was stored before the clock was set back. */
export const STEP_TOLERANCE_MS = 4_000;

/**
 * Notices that the wall clock was set back, by comparing it with the monotonic one. Times in the file are wall times, so that
 * a restart and other processes can read them; a step back must not hide messages for as long as the step.
 */
export class ClockSteps {
  readonly #clock: Clock;
  /** The wall clock minus the monotonic one, at its highest since the last step back. */
  #aheadMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs `mend` when the clock was set back since it was last run, and at the first call: what the file holds is not known
   * then. Again at the next call when it fails.
   */
  async mend(mend: () => Promise<void>): Promise<void> {
    const aheadMs = this.#clock.now() - this.#clock.monotonic();
    if (aheadMs >= this.#aheadMs - STEP_TOLERANCE_MS) {
      this.#aheadMs = Math.max(this.#aheadMs, aheadMs);
      return;
    }
    await mend();
    this.#aheadMs = aheadMs;
  }
}
