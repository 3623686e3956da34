import type { Clock } from '../../lib/ports/clock.ts';

export interface Ration {
  /** The shortest time between two reads, in ms. */
  readonly leastMs: number;
  /** The most that the reads may cost in an hour, in US dollars. */
  readonly dollarsPerHour: number;
}

/** What a read returned. Times are readings of the monotonic clock. */
export interface Taken<Value> {
  readonly value: Value;
  /** When the next read is allowed. */
  readonly nextMs: number;
}

const HOUR_MS = 3_600_000;
/** Reads may take at most this part of the time, so that they do not slow down the workers of the same process. */
const READS_AT_MOST_ONE_IN = 20;

/**
 * A read whose result serves all pages, until time and cost allow the next one. Callers during a read share it. A read
 * that fails is not repeated earlier than one that succeeds, because it costs as much.
 */
export class RationedRead<Value> {
  readonly #clock: Clock;
  readonly #spent: () => number;
  readonly #ration: Ration;
  readonly #read: () => Promise<Value>;
  #running: Promise<Taken<Value>> | undefined;
  #last: Taken<Value> | undefined;
  #failed: { readonly error: unknown; readonly nextMs: number } | undefined;

  /** @param spent what all requests have cost so far, in US dollars. */
  constructor(clock: Clock, spent: () => number, ration: Ration, read: () => Promise<Value>) {
    this.#clock = clock;
    this.#spent = spent;
    this.#ration = ration;
    this.#read = read;
  }

  /** Allows a read now, after an action that changed what it returns. */
  renew(): void {
    this.#last = undefined;
    this.#failed = undefined;
  }

  /** The last result, or a new one when the ration allows it. Rejects as the read did. */
  async latest(): Promise<Taken<Value>> {
    if (this.#running !== undefined) return await this.#running;
    const nowMs = this.#clock.monotonic();
    if (this.#failed !== undefined && nowMs < this.#failed.nextMs) throw this.#failed.error;
    if (this.#last !== undefined && nowMs < this.#last.nextMs) return this.#last;
    this.#running = this.#take().finally(() => {
      this.#running = undefined;
    });
    return await this.#running;
  }

  async #take(): Promise<Taken<Value>> {
    const beganMs = this.#clock.monotonic();
    const before = this.#spent();
    const next = () => {
      const tookMs = this.#clock.monotonic() - beganMs;
      // A request of another page during the read is counted too: the interval is then too long, never too short.
      const costMs = ((this.#spent() - before) / this.#ration.dollarsPerHour) * HOUR_MS;
      return beganMs + Math.max(this.#ration.leastMs + tookMs, tookMs * READS_AT_MOST_ONE_IN, costMs);
    };
    try {
      const value = await this.#read();
      this.#failed = undefined;
      this.#last = { value, nextMs: next() };
      return this.#last;
    } catch (error) {
      this.#failed = { error, nextMs: next() };
      throw error;
    }
  }
}
