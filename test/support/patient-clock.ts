import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import type { Clock } from '../../lib/ports/clock.ts';

/** The interval of its steps: between two steps, everything that arrived gets its turn. */
const BEAT_MS = 5;
/** When a process got no CPU for longer than this, that time does not count for this clock. */
const LONGEST_BEAT_MS = 50;

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

export interface PatientClockOptions {
  /** The largest number of its milliseconds in one of the machine's. */
  readonly speed: number;
  /** The clock that it follows; the machine's by default. */
  readonly base?: Clock;
}

/**
 * A clock that runs faster than the machine's, so that minutes of waiting pass in seconds, but never ahead of the work.
 * It stops while somebody holds it, and moves only in small steps, each after the process had a turn. So its
 * measurements do not depend on the load of the machine.
 */
export class PatientClock implements Clock, Disposable {
  readonly speed: number;
  private readonly base: Clock;
  private readonly startMs: number;
  private readonly ended = new AbortController();
  private readonly sleepers = new Set<Sleeper>();
  private readonly limits = new Set<{ readonly atMs: number }>();
  private elapsedMs = 0;

  constructor({ speed, base = new SystemClock() }: PatientClockOptions) {
    this.speed = speed;
    this.base = base;
    this.startMs = base.now();
    void this.run();
  }

  now(): number {
    return Math.floor(this.startMs + this.elapsedMs);
  }

  monotonic(): number {
    return this.elapsedMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const leave = () => {
        this.sleepers.delete(sleeper);
        signal?.removeEventListener('abort', abort);
      };
      const abort = () => {
        leave();
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        dueMs: this.now() + Math.max(0, ms),
        wake: () => {
          leave();
          resolve();
        },
      };
      this.sleepers.add(sleeper);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Stops it. @returns a function that lets it continue. */
  hold(): () => void {
    return this.holdAt(this.now());
  }

  /** Stops it at this time. @returns a function that lets it continue. */
  holdAt(atMs: number): () => void {
    const limit = { atMs };
    this.limits.add(limit);
    return () => {
      this.limits.delete(limit);
    };
  }

  /** Stops it forever: sleepers never wake up. */
  [Symbol.dispose](): void {
    this.ended.abort();
  }

  private async run(): Promise<void> {
    let lastMs = this.base.now();
    while (!this.ended.signal.aborted) {
      await this.base.sleep(BEAT_MS, this.ended.signal).catch(() => {});
      const nowMs = this.base.now();
      this.move(Math.min(Math.max(0, nowMs - lastMs), LONGEST_BEAT_MS) * this.speed);
      lastMs = nowMs;
    }
  }

  private move(byMs: number): void {
    const limits = [...this.limits].map(({ atMs }) => atMs - this.startMs);
    this.elapsedMs = Math.max(this.elapsedMs, Math.min(this.elapsedMs + byMs, ...limits));
    const due = [...this.sleepers].filter(({ dueMs }) => dueMs <= this.now());
    for (const { wake } of due.sort((one, other) => one.dueMs - other.dueMs)) wake();
  }
}
