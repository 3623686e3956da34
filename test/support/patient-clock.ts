import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import type { Clock } from '../../lib/ports/clock.ts';

/** How often it moves: between two moves, whatever came in meanwhile has its turn. */
const BEAT_MS = 5;
/** A process that got no time for longer than this lost it, and this clock with it. */
const LONGEST_BEAT_MS = 50;

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

export interface PatientClockOptions {
  /** How many of its milliseconds pass in one of the machine's, at most. */
  readonly speed: number;
  /** Whose pace it follows; the machine's by default. */
  readonly base?: Clock;
}

/**
 * A clock that runs faster than the machine's, so that minutes of waiting pass in seconds, and that never runs ahead of
 * the work: it stands still while somebody holds it, and moves by small steps only, each after the process had a turn. So
 * what it measures does not depend on how busy the machine is.
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

  /** Stands still from now on. @returns lets go of it. */
  hold(): () => void {
    return this.holdAt(this.now());
  }

  /** Does not go beyond this time. @returns lets go of it. */
  holdAt(atMs: number): () => void {
    const limit = { atMs };
    this.limits.add(limit);
    return () => {
      this.limits.delete(limit);
    };
  }

  /** Stops it for good: whoever sleeps goes on sleeping. */
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
