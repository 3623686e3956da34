import { backoffDelayMs } from '../../core/backoff.ts';
import type { Clock, Entropy } from '../../ports/clock.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { ClusterStore } from '../../ports/state-store.ts';

export type GateVerdict =
  | { readonly open: true }
  /** Passes of the cluster are put off until then. */
  | {
      readonly open: false;
      readonly reason:
        | 'ClusterUnreachable'
        | 'ClusterThrottled'
        | 'ClusterPaused'
        /** This deployment does not drive the cluster, or not yet. */
        | 'AnotherDeployment';
      readonly untilMs: number;
      /** What there is to say beyond the reason; without server text. */
      readonly detail?: string;
    };

/** What a pass asks before it begins, and tells after it ended. */
export type Gate = Pick<ClusterGate, 'check' | 'succeeded' | 'failed'>;

export interface GateOptions {
  /** Consecutive connection failures after which the breaker opens. */
  readonly failuresToOpen: number;
  readonly backoff: { readonly baseMs: number; readonly capMs: number };
  /** How long what other workers wrote about a cluster is believed. */
  readonly sharedForMs: number;
  /** How long a pass of a paused cluster is put off. */
  readonly pausedForMs: number;
}

const DEFAULT_GATE_OPTIONS: GateOptions = {
  failuresToOpen: 5,
  backoff: { baseMs: 5_000, capMs: 60_000 },
  sharedForMs: 10_000,
  pausedForMs: 60_000,
};

interface ClusterHealth {
  failures: number;
  openings: number;
  openUntilMs: number;
  throttledUntilMs: number;
  probeUntilMs: number;
  paused: boolean;
  readAtMs: number;
  /** The reading that is under way. */
  reading: Promise<void> | undefined;
}

/**
 * Keeps a dead, throttling or paused cluster from occupying the workers of the others: after repeated
 * connection failures its passes end at once with a retry, and one probe at a time tries again. Workers tell each other
 * through the table.
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

  /** Asked before each pass. While the breaker is half open, exactly one caller is let through as the probe. */
  async check(cluster: string): Promise<GateVerdict> {
    const health = this.#healthOf(cluster);
    await this.#refresh(cluster, health);
    const nowMs = this.#clock.now();
    if (health.paused) return { open: false, reason: 'ClusterPaused', untilMs: nowMs + this.#options.pausedForMs };
    if (this.#isAhead(health.throttledUntilMs, nowMs))
      return { open: false, reason: 'ClusterThrottled', untilMs: health.throttledUntilMs };
    if (this.#isAhead(health.openUntilMs, nowMs)) return this.#refuse(cluster, health.openUntilMs);
    const isHalfOpen = health.failures >= this.#options.failuresToOpen || health.openUntilMs > 0;
    if (!isHalfOpen) return { open: true };
    if (this.#isAhead(health.probeUntilMs, nowMs)) return this.#refuse(cluster, health.probeUntilMs);
    health.probeUntilMs = nowMs + this.#options.backoff.baseMs;
    return { open: true };
  }

  /** A pass got an answer from the cluster, whatever it was. */
  async succeeded(cluster: string): Promise<void> {
    const health = this.#healthOf(cluster);
    const wasOpen = health.openUntilMs > 0;
    health.failures = 0;
    health.openings = 0;
    health.openUntilMs = 0;
    health.probeUntilMs = 0;
    if (wasOpen) await this.#store.setBreaker(cluster, undefined);
  }

  /** A pass failed with this error: connection failures and throttling are what counts here. */
  async failed(cluster: string, error: unknown): Promise<void> {
    const health = this.#healthOf(cluster);
    const nowMs = this.#clock.now();
    if (isApiError(error, 'TooManyRequests')) {
      health.throttledUntilMs = Math.max(
        health.throttledUntilMs,
        nowMs + Math.min(error.retryAfterMs ?? 1_000, this.#options.backoff.capMs),
      );
      return;
    }
    // A probe that failed for a reason of its own tells nothing of the cluster: the next one need not wait for it.
    health.probeUntilMs = 0;
    if (!isApiError(error, 'Unreachable', 'Timeout')) {
      if (isApiError(error)) await this.succeeded(cluster);
      return;
    }
    health.failures += 1;
    if (health.failures < this.#options.failuresToOpen) return;
    health.openings += 1;
    health.openUntilMs = nowMs + backoffDelayMs(this.#options.backoff, health.openings, this.#entropy.random());
    await this.#store.setBreaker(cluster, health.openUntilMs);
  }

  /** What lies further ahead than it is ever set was set before the clock went back: it counts as over. */
  #isAhead(untilMs: number, nowMs: number): boolean {
    return untilMs > nowMs && untilMs - nowMs <= 2 * this.#options.backoff.capMs;
  }

  #refuse(cluster: string, untilMs: number): GateVerdict {
    this.#metrics.record('BreakerOpen', 1, { Cluster: cluster });
    // Spread over the time after the opening, so that not every target of the cluster comes back at one instant.
    const spreadMs = Math.round(this.#entropy.random() * this.#options.backoff.baseMs);
    return { open: false, reason: 'ClusterUnreachable', untilMs: untilMs + spreadMs };
  }

  /** What was not read yet, or could not be read, is not taken for open: all who ask wait for the one reading. */
  async #refresh(cluster: string, health: ClusterHealth): Promise<void> {
    if (Math.abs(this.#clock.now() - health.readAtMs) < this.#options.sharedForMs) return;
    health.reading ??= this.#read(cluster, health).finally(() => {
      health.reading = undefined;
    });
    await health.reading;
  }

  async #read(cluster: string, health: ClusterHealth): Promise<void> {
    const nowMs = this.#clock.now();
    const shared = await this.#store.readCluster(cluster);
    health.paused = shared.paused;
    health.openUntilMs = Math.max(health.openUntilMs, shared.breakerOpenUntilMs ?? 0);
    health.readAtMs = nowMs;
  }

  #healthOf(cluster: string): ClusterHealth {
    let health = this.#clusters.get(cluster);
    if (health === undefined) {
      health = {
        failures: 0,
        openings: 0,
        openUntilMs: 0,
        throttledUntilMs: 0,
        probeUntilMs: 0,
        paused: false,
        readAtMs: Number.NEGATIVE_INFINITY,
        reading: undefined,
      };
      this.#clusters.set(cluster, health);
    }
    return health;
  }
}
