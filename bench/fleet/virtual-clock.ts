import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../lib/ports/clock.ts';
import { type Timed, TimerQueue } from '../../lib/testing/simulation/timer-queue.ts';

interface Sleeper extends Timed {
  wake(): void;
}

/** Far from every epoch time, so that a mixed-up time is noticed at once. */
const MONOTONIC_START_MS = 1_000_000;
/** A call of an author's code waits for a turn of the event loop, because Node reports rejected promises then. */
const TURNS = 3;

/**
 * Time for hundreds of thousands of sleepers. It moves from one sleeper to the next, in whole milliseconds, and everything
 * that is due in the same millisecond wakes together. Nothing may wait for anything but this clock.
 */
export class VirtualClock implements Clock {
  readonly #startMs: number;
  readonly #sleepers = new TimerQueue<Sleeper>();
  #nowMs: number;
  #order = 0;

  /** @param startMs epoch ms. */
  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#startMs = startMs;
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs - this.#startMs + MONOTONIC_START_MS;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = () => {
        sleeper.gone = true;
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        dueMs: this.#nowMs + Math.ceil(Math.max(0, ms)),
        order: this.#order++,
        gone: false,
        wake: () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Moves time to `untilMs`, epoch ms, and wakes each sleeper at its time. */
  async runUntil(untilMs: number): Promise<void> {
    await everythingElse();
    for (let next = this.#sleepers.peek(); next !== undefined && next.dueMs <= untilMs; next = this.#sleepers.peek()) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      for (let due = this.#due(); due !== undefined; due = this.#due()) due.wake();
      await everythingElse();
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  #due(): Sleeper | undefined {
    return this.#sleepers.takeDue(this.#nowMs);
  }
}

/** Runs everything that can run without time passing: all microtasks, and some turns of the event loop, as `settle` does. */
async function everythingElse(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
}
