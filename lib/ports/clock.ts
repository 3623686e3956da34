/** Time, as one machine's clock shows it. Everything that waits or compares times takes one of these. */
export interface Clock {
  /** Epoch milliseconds. May jump; never trusted beyond the tolerated skew. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Randomness and ids, injected so that a seed replays exactly. */
export interface Entropy {
  /** Uniform in [0, 1). */
  random(): number;
  /** Unique across processes, URL-safe, at most 36 characters. */
  id(): string;
}
