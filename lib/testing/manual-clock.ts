import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';

interface Sleeper {
  /** On the monotonic clock, so that a step of the wall clock changes no sleep. */
  readonly dueMs: number;
  readonly order: number;
  wake(): void;
}

/**
 * Time that moves only when a test says so. Sleepers wake one at a time, in the order of their times and then of their
 * calls. Everything that a woken sleeper starts settles before the next one wakes.
 */
export class ManualClock implements Clock {
  /** Far from every epoch time, so that a mixed-up time is noticed at once. */
  #monotonicMs = 1_000_000;
  /** The wall clock minus the monotonic reading. */
  #wallAheadMs: number;
  #order = 0;
  readonly #sleepers = new Set<Sleeper>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#wallAheadMs = startMs - this.#monotonicMs;
  }

  now(): number {
    return this.#monotonicMs + this.#wallAheadMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const leave = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', abort);
      };
      const abort = () => {
        leave();
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        dueMs: this.#monotonicMs + Math.max(0, ms),
        order: this.#order++,
        wake: () => {
          leave();
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** The number of sleepers. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** When the next sleeper wakes, epoch ms. */
  get nextWakeMs(): number | undefined {
    const dueMs = this.#earliest()?.dueMs;
    return dueMs === undefined ? undefined : dueMs + this.#wallAheadMs;
  }

  /** Advances time by `ms`, and wakes each sleeper that is due, also those that start to sleep during that time. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#monotonicMs + ms;
    await settle();
    for (let next = this.#earliest(); next !== undefined && next.dueMs <= untilMs; next = this.#earliest()) {
      await this.#wake(next);
    }
    this.#monotonicMs = Math.max(this.#monotonicMs, untilMs);
    await settle();
  }

  /**
   * Advances from sleeper to sleeper until the condition holds.
   * @throws Error when it does not hold within `withinMs` of this clock's time, or when nobody sleeps any more.
   */
  async advanceUntil(condition: () => boolean, withinMs = 3_600_000): Promise<void> {
    const untilMs = this.#monotonicMs + withinMs;
    await settle();
    while (!condition()) {
      const next = this.#earliest();
      if (next === undefined) throw new Error('the condition does not hold, and nobody sleeps who could change that');
      if (next.dueMs > untilMs) throw new Error(`the condition did not come to hold within ${withinMs} ms`);
      await this.#wake(next);
    }
  }

  /** Advances time without waking anybody, as for a process that is frozen. */
  jump(ms: number): void {
    this.#monotonicMs += ms;
  }

  /**
   * Sets the wall clock forward, or back with a negative number, as a person or NTP does. No time passes: sleepers and
   * the monotonic clock do not change.
   */
  step(ms: number): void {
    this.#wallAheadMs += ms;
  }

  async #wake(sleeper: Sleeper): Promise<void> {
    this.#monotonicMs = Math.max(this.#monotonicMs, sleeper.dueMs);
    sleeper.wake();
    await settle();
  }

  #earliest(): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (first === undefined || sleeper.dueMs < first.dueMs) first = sleeper;
      else if (sleeper.dueMs === first.dueMs && sleeper.order < first.order) first = sleeper;
    }
    return first;
  }
}

/** Runs everything that can run without time passing: all microtasks, and some turns of the event loop. */
export async function settle(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await nextTurn();
}
