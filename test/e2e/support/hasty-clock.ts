import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import type { Clock } from '../../../lib/ports/clock.ts';

/** Longer than any time-out that a working service could exceed. */
const LONG_MS = 150_000;
const MOMENT_MS = 500;

/** The machine's clock, but sleeps of minutes end after a moment. */
export class HastyClock implements Clock {
  private readonly clock = new SystemClock();

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.clock.sleep(ms > LONG_MS ? MOMENT_MS : ms, signal);
  }
}
