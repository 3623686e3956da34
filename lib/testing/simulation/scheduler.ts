import { SeededEntropy } from '../seeded-entropy.ts';
import { type Timed, TimerQueue } from './timer-queue.ts';
import type { Label, Trace } from './trace.ts';

/** What the scheduler knows of a process. */
export interface Scheduled {
  readonly name: string;
  /** A dead process never gets a turn again. */
  readonly alive: boolean;
  /** True time until which the process is frozen, like in a paused virtual machine. */
  pausedUntilMs: number;
}

/** Something that can continue: a call that waits for its turn, or a sleeper. */
interface Parked extends Timed {
  readonly process: Scheduled;
  readonly label: Label;
  go(): void;
}

/** The longest time that passes with each step: the latency of a call. */
const MAX_LATENCY_MS = 20;

/**
 * Controls time, randomness and the order of everything. Each call of a process to a port waits here twice: before it
 * takes effect, and before its answer arrives. A seeded choice selects which one continues. One seed is one history.
 */
export class Scheduler {
  readonly entropy: SeededEntropy;
  readonly trace: Trace;
  steps = 0;
  #nowMs: number;
  #order = 0;
  readonly #ready: Parked[] = [];
  readonly #sleepers = new TimerQueue<Parked>();
  /** Sleepers and calls that could continue, but whose process is paused. */
  #frozen: Parked[] = [];

  constructor(seed: number, trace: Trace, startMs = Date.UTC(2026, 0, 1)) {
    this.entropy = new SeededEntropy(seed);
    this.trace = trace;
    this.#nowMs = startMs;
  }

  /** True time, epoch ms. Processes see it through their own clocks. */
  now(): number {
    return this.#nowMs;
  }

  /** A whole number in [0, below). */
  pick(below: number): number {
    return Math.floor(this.entropy.random() * below);
  }

  /** Resolves when the process gets its turn; never for a dead one. Rejects when the signal aborts first. */
  turn(process: Scheduled, label: Label, signal?: AbortSignal): Promise<void> {
    return this.#park(process, label, this.#nowMs, signal, (parked) => this.#ready.push(parked));
  }

  /** Resolves when true time has moved by `ms` and the process gets its turn. Rejects when the signal aborts first. */
  sleep(process: Scheduled, ms: number, signal?: AbortSignal): Promise<void> {
    return this.#park(process, 'wakes', this.#nowMs + Math.ceil(Math.max(0, ms)), signal, (parked) =>
      this.#sleepers.push(parked),
    );
  }

  /**
   * Lets one waiting entry continue until it waits again. Advances time if no entry is ready now.
   * @returns false when nothing can happen any more.
   */
  async step(): Promise<boolean> {
    const chosen = this.#choose();
    if (chosen === undefined) return false;
    this.#nowMs += this.pick(MAX_LATENCY_MS);
    this.steps += 1;
    this.trace.add(this.#nowMs, chosen.process.name, chosen.label);
    chosen.go();
    await everythingElse();
    return true;
  }

  #park(
    process: Scheduled,
    label: Label,
    dueMs: number,
    signal: AbortSignal | undefined,
    enqueue: (parked: Parked) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const parked: Parked = { process, label, dueMs, order: this.#order++, gone: false, go: resolve };
      enqueue(parked);
      if (signal === undefined) return;
      const onAbort = () => {
        parked.gone = true;
        reject(signal.reason);
      };
      parked.go = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #choose(): Parked | undefined {
    for (;;) {
      this.#wake();
      while (this.#ready.length > 0) {
        const parked = this.#takeReady(this.pick(this.#ready.length));
        if (parked === undefined || parked.gone || !parked.process.alive) continue;
        if (parked.process.pausedUntilMs <= this.#nowMs) return parked;
        this.#frozen.push(parked);
      }
      const nextMs = this.#nextMs();
      if (nextMs === undefined) return undefined;
      this.#nowMs = Math.max(this.#nowMs, nextMs);
    }
  }

  /** The order of ready entries does not matter: the last one moves to the place of the removed one. */
  #takeReady(index: number): Parked | undefined {
    const taken = this.#ready[index];
    const last = this.#ready.pop();
    if (last !== undefined && index < this.#ready.length) this.#ready[index] = last;
    return taken;
  }

  #wake(): void {
    for (let due = this.#sleepers.takeDue(this.#nowMs); due !== undefined; due = this.#sleepers.takeDue(this.#nowMs)) {
      this.#ready.push(due);
    }
    if (this.#frozen.length === 0) return;
    const frozen = this.#frozen;
    this.#frozen = [];
    for (const parked of frozen) {
      const thaws = parked.process.pausedUntilMs <= this.#nowMs;
      (thaws ? this.#ready : this.#frozen).push(parked);
    }
  }

  #nextMs(): number | undefined {
    let nextMs = this.#sleepers.peek()?.dueMs;
    for (const { process, gone } of this.#frozen) {
      if (!gone && process.alive) nextMs = Math.min(nextMs ?? process.pausedUntilMs, process.pausedUntilMs);
    }
    return nextMs;
  }
}

/** Node runs all microtasks, and those that they start, before the callbacks of the next tick. */
function everythingElse(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
