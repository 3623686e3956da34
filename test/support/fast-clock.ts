import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import type { Clock } from '../../lib/ports/clock.ts';

/** A clock that runs faster than the machine's, so that minutes of waiting pass in seconds. */
export class FastClock implements Clock {
  readonly speed: number;
  private readonly clock = new SystemClock();
  private readonly startMs = this.clock.now();

  constructor(speed: number) {
    this.speed = speed;
  }

  now(): number {
    return Math.round(this.startMs + (this.clock.now() - this.startMs) * this.speed);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.clock.sleep(ms / this.speed, signal);
  }
}
