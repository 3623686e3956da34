/** Time, as one machine's clock shows it. Everything that waits or compares times takes one of these. */
export interface Clock {
  /**
   * The wall clock, in epoch milliseconds. A person or NTP may set it back or forward by minutes. Use it for
   * times that are stored, sent or shown.
   */
  now(): number;
  /**
   * Milliseconds of a monotonic clock. It measures limits and durations inside a process. A value is never stored or
   * sent, because it has no meaning in another process.
   */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Whole milliseconds since a monotonic reading of this process. */
export function elapsedMs(clock: Pick<Clock, 'monotonic'>, sinceMonotonicMs: number): number {
  return Math.round(clock.monotonic() - sinceMonotonicMs);
}

/** Randomness and ids, injected so that a seed replays exactly. */
export interface Entropy {
  /** Uniform in [0, 1). */
  random(): number;
  /** Unique across processes, URL-safe, at most 36 characters. */
  id(): string;
}
