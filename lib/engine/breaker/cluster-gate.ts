import { backoffDelayMs } from '../../core/backoff.ts';
import type { Clock, Entropy } from '../../ports/clock.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { ClusterStore } from '../../ports/state-store.ts';
import { BREAKER_BACKOFF, isBreakerOpen } from './is-breaker-open.ts';

export type GateVerdict =
  | { readonly open: true }
  /** Passes of the cluster are put off until this time. */
  | {
      readonly open: false;
      readonly reason:
        | 'ClusterUnreachable'
        | 'ClusterThrottled'
        | 'ClusterPaused'
        /** This deployment does not drive the cluster, or not yet. */
        | 'AnotherDeployment';
      readonly untilMs: number;
      /** More about the reason; without text of the server. */
      readonly detail?: string;
    };

/** A pass calls `check` before it starts, and `succeeded` or `failed` after it ended. */
export type Gate = Pick<ClusterGate, 'check' | 'succeeded' | 'failed'>;

export interface GateOptions {
  /** Consecutive connection failures after which the breaker opens. */
  readonly failuresToOpen: number;
  readonly backoff: { readonly baseMs: number; readonly capMs: number };
  /** How long a cluster's state in the table is used before it is read again. */
  readonly sharedForMs: number;
  /** How long a pass of a paused cluster is put off. */
  readonly pausedForMs: number;
}

const DEFAULT_GATE_OPTIONS: GateOptions = {
  failuresToOpen: 5,
  backoff: BREAKER_BACKOFF,
  sharedForMs: 10_000,
  pausedForMs: 60_000,
};

const NEVER_MS = Number.NEGATIVE_INFINITY;

/** All times are on this process's monotonic clock. */
interface ClusterHealth {
  failures: number;
  openings: number;
  /** -Infinity when the breaker was never opened. */
  openUntilMs: number;
  throttledUntilMs: number;
  probeUntilMs: number;
  paused: boolean;
  readAtMs: number;
  /** The read that is in progress. */
  reading: Promise<void> | undefined;
}

/**
 * Keeps a dead, throttling or paused cluster from occupying the workers of other clusters. After repeated
 * connection failures its passes end at once with a retry, and one probe at a time tries again. Workers share the state
 * in the table, with times of the wall clock. Inside a process the monotonic clock decides.
 */
export class ClusterGate {
  readonly #store: ClusterStore;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #metrics: Metrics;
  readonly #options: GateOptions;
  readonly #clusters = new Map<string, ClusterHealth>();

  constructor(
    store: ClusterStore,
    clock: Clock,
    entropy: Entropy,
    metrics: Metrics,
    options: GateOptions = DEFAULT_GATE_OPTIONS,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#entropy = entropy;
    this.#metrics = metrics;
    this.#options = options;
  }

  /** Called before each pass. While the breaker is half open, exactly one caller may continue: the probe. */
  async check(cluster: string): Promise<GateVerdict> {
    const health = this.#healthOf(cluster);
    await this.#refresh(cluster, health);
    const nowMs = this.#clock.monotonic();
    if (health.paused)
      return { open: false, reason: 'ClusterPaused', untilMs: this.#clock.now() + this.#options.pausedForMs };
    if (health.throttledUntilMs > nowMs)
      return { open: false, reason: 'ClusterThrottled', untilMs: this.#wallTime(health.throttledUntilMs) };
    if (health.openUntilMs > nowMs) return this.#refuse(cluster, health.openUntilMs);
    const isHalfOpen = health.failures >= this.#options.failuresToOpen || health.openUntilMs !== NEVER_MS;
    if (!isHalfOpen) return { open: true };
    if (health.probeUntilMs > nowMs) return this.#refuse(cluster, health.probeUntilMs);
    health.probeUntilMs = nowMs + this.#options.backoff.baseMs;
    return { open: true };
  }

  /** A pass got any answer from the cluster. */
  async succeeded(cluster: string): Promise<void> {
    const health = this.#healthOf(cluster);
    const wasOpen = health.openUntilMs !== NEVER_MS;
    health.failures = 0;
    health.openings = 0;
    health.openUntilMs = NEVER_MS;
    health.probeUntilMs = NEVER_MS;
    if (wasOpen) await this.#store.setBreaker(cluster, undefined);
  }

  /** A pass failed with this error. Only connection failures and throttling count here. */
  async failed(cluster: string, error: unknown): Promise<void> {
    const health = this.#healthOf(cluster);
    const nowMs = this.#clock.monotonic();
    if (isApiError(error, 'TooManyRequests')) {
      health.throttledUntilMs = Math.max(
        health.throttledUntilMs,
        nowMs + Math.min(error.retryAfterMs ?? 1_000, this.#options.backoff.capMs),
      );
      return;
    }
    // A probe that failed for another reason shows nothing about the cluster, so the next probe need not wait.
    health.probeUntilMs = NEVER_MS;
    if (!isApiError(error, 'Unreachable', 'Timeout')) {
      if (isApiError(error)) await this.succeeded(cluster);
      return;
    }
    health.failures += 1;
    if (health.failures < this.#options.failuresToOpen) return;
    health.openings += 1;
    health.openUntilMs = nowMs + backoffDelayMs(this.#options.backoff, health.openings, this.#entropy.random());
    await this.#store.setBreaker(cluster, this.#wallTime(health.openUntilMs));
  }

  /** The wall-clock time of a monotonic time. */
  #wallTime(monotonicMs: number): number {
    return this.#clock.now() + Math.round(monotonicMs - this.#clock.monotonic());
  }

  #refuse(cluster: string, untilMs: number): GateVerdict {
    this.#metrics.record('BreakerOpen', 1, { Cluster: cluster });
    this.#metrics.record('ClusterUnanswered', 1, { Cluster: cluster });
    // The retries are spread over the time after the opening, so that not all targets of the cluster start passes at
    // once.
    const spreadMs = Math.round(this.#entropy.random() * this.#options.backoff.baseMs);
    return { open: false, reason: 'ClusterUnreachable', untilMs: this.#wallTime(untilMs) + spreadMs };
  }

  /** Unknown state counts as closed; concurrent callers share one read. */
  async #refresh(cluster: string, health: ClusterHealth): Promise<void> {
    if (this.#clock.monotonic() - health.readAtMs < this.#options.sharedForMs) return;
    health.reading ??= this.#read(cluster, health).finally(() => {
      health.reading = undefined;
    });
    await health.reading;
  }

  async #read(cluster: string, health: ClusterHealth): Promise<void> {
    const atMs = this.#clock.monotonic();
    const { paused, breakerOpenUntilMs } = await this.#store.readCluster(cluster);
    health.paused = paused;
    if (breakerOpenUntilMs !== undefined) {
      const nowMs = this.#clock.now();
      const leftMs = isBreakerOpen(breakerOpenUntilMs, nowMs, this.#options.backoff.capMs)
        ? breakerOpenUntilMs - nowMs
        : 0;
      health.openUntilMs = Math.max(health.openUntilMs, this.#clock.monotonic() + leftMs);
    }
    health.readAtMs = atMs;
  }

  #healthOf(cluster: string): ClusterHealth {
    let health = this.#clusters.get(cluster);
    if (health === undefined) {
      health = {
        failures: 0,
        openings: 0,
        openUntilMs: NEVER_MS,
        throttledUntilMs: NEVER_MS,
        probeUntilMs: NEVER_MS,
        paused: false,
        readAtMs: NEVER_MS,
        reading: undefined,
      };
      this.#clusters.set(cluster, health);
    }
    return health;
  }
}
