import { setImmediate as nextTurn } from 'node:timers/promises';
import { SeededEntropy } from '../seeded-entropy.ts';
import type { Trace } from './trace.ts';

/** Something that may go on: a call that waits for its turn, or a sleeper whose time has come. */
interface Parked {
  readonly process: Scheduled;
  readonly label: string;
  go(): void;
}

interface Sleeper extends Parked {
  readonly dueMs: number;
  readonly order: number;
}

/** What the scheduler knows of a process. */
export interface Scheduled {
  readonly name: string;
  /** Dead processes never get a turn again. */
  readonly alive: boolean;
  /** True time until which the process is frozen, as by a paused virtual machine. */
  pausedUntilMs: number;
}

/** Time that passes with each step, at most: the latency of a call. */
const MAX_LATENCY_MS = 20;

/**
 * Owns time, randomness and the order of everything: each call that a process makes to a port parks here, before it
 * takes effect and again before its answer arrives, until a seeded choice lets it go on. One seed is one history.
 */
export class Scheduler {
  readonly entropy: SeededEntropy;
  readonly trace: Trace;
  steps = 0;
  private nowMs: number;
  private order = 0;
  private ready: Parked[] = [];
  private readonly sleepers = new Set<Sleeper>();

  constructor(seed: number, trace: Trace, startMs = Date.UTC(2026, 0, 1)) {
    this.entropy = new SeededEntropy(seed);
    this.trace = trace;
    this.nowMs = startMs;
  }

  /** True time, epoch ms; processes see it through their own clocks. */
  now(): number {
    return this.nowMs;
  }

  /** A whole number in [0, below). */
  pick(below: number): number {
    return Math.floor(this.entropy.random() * below);
  }

  chance(probability: number): boolean {
    return this.entropy.random() < probability;
  }

  /** Resolves when the process gets its turn; never for a dead one. Rejects when the signal aborts first. */
  turn(process: Scheduled, label: string, signal?: AbortSignal): Promise<void> {
    return this.wait(
      signal,
      (parked) => {
        this.ready.push(parked);
        return () => {
          this.ready = this.ready.filter((other) => other !== parked);
        };
      },
      process,
      label,
    );
  }

  /** Resolves when true time has moved by `ms` and the process gets its turn. Rejects when the signal aborts first. */
  sleep(process: Scheduled, ms: number, signal?: AbortSignal): Promise<void> {
    return this.wait(
      signal,
      (parked) => {
        const sleeper = { ...parked, dueMs: this.nowMs + Math.max(0, ms), order: this.order++ };
        this.sleepers.add(sleeper);
        return () => {
          this.sleepers.delete(sleeper);
          this.ready = this.ready.filter(({ go }) => go !== parked.go);
        };
      },
      process,
      'wakes',
    );
  }

  /** Whatever a dead process had under way is forgotten: its promises never settle. */
  forget(process: Scheduled): void {
    this.ready = this.ready.filter((parked) => parked.process !== process);
    for (const sleeper of this.sleepers) if (sleeper.process === process) this.sleepers.delete(sleeper);
  }

  /**
   * Lets one waiting thing go on, moving time to it if nothing is ready now, and lets it run until it waits again.
   * @returns false when nothing will ever happen again.
   */
  async step(): Promise<boolean> {
    this.wakeSleepers();
    let runnable = this.ready.filter(({ process }) => process.alive && process.pausedUntilMs <= this.nowMs);
    if (runnable.length === 0) {
      const nextMs = this.nextEventMs();
      if (nextMs === undefined) return false;
      this.nowMs = Math.max(this.nowMs, nextMs);
      this.wakeSleepers();
      runnable = this.ready.filter(({ process }) => process.alive && process.pausedUntilMs <= this.nowMs);
      if (runnable.length === 0) return true;
    }
    const chosen = runnable[this.pick(runnable.length)];
    if (chosen === undefined) return true;
    this.ready = this.ready.filter((parked) => parked !== chosen);
    this.nowMs += this.pick(MAX_LATENCY_MS);
    this.steps += 1;
    this.trace.step(this.nowMs, chosen.process.name, chosen.label);
    chosen.go();
    await nextTurn();
    return true;
  }

  private wait(
    signal: AbortSignal | undefined,
    enqueue: (parked: Parked) => () => void,
    process: Scheduled,
    label: string,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        leave();
        reject(signal?.reason);
      };
      const leave = enqueue({
        process,
        label,
        go: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  private wakeSleepers(): void {
    const due = [...this.sleepers].filter(({ dueMs }) => dueMs <= this.nowMs);
    due.sort((left, right) => left.dueMs - right.dueMs || left.order - right.order);
    for (const sleeper of due) {
      this.sleepers.delete(sleeper);
      this.ready.push(sleeper);
    }
  }

  private nextEventMs(): number | undefined {
    let nextMs: number | undefined;
    const consider = (ms: number) => {
      if (nextMs === undefined || ms < nextMs) nextMs = ms;
    };
    for (const { dueMs, process } of this.sleepers) if (process.alive) consider(dueMs);
    for (const { process } of this.ready) if (process.alive) consider(process.pausedUntilMs);
    return nextMs;
  }
}
