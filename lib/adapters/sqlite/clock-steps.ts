import type { Clock } from '../../ports/clock.ts';

/**
 * How far in the future a stored time may be, by the clock that reads it. A time further in the future was stored
 * before the clock was set back.
 */
export const STEP_TOLERANCE_MS = 4_000;

/**
 * Detects that the wall clock was set back, by comparing it with the monotonic clock. Times in the file are wall times,
 * so that other processes can read them, also after a restart. A step back must not hide messages for as long as the
 * step.
 */
export class ClockSteps {
  readonly #clock: Clock;
  /** The highest difference of wall clock and monotonic clock since the last step back. */
  #aheadMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs `mend` when the clock was set back since the last run. Runs it at the first call too, because the content of
   * the file is unknown then. When it fails, the next call runs it again.
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
