import { EvenkeelError } from '../../core/errors.ts';
import type { RelayDependencies, RelayOptions } from './relay-options.ts';

/** Another relay has the cluster, or may have it by now: nothing may be sent or recorded any more. */
export class RelayLostError extends EvenkeelError {
  constructor(cluster: string, why: string) {
    super(
      'RELAY_LOST',
      `this relay no longer holds cluster ${cluster}: ${why}. Another one goes on from its checkpoints.`,
    );
  }
}

type HoldDependencies = Pick<RelayDependencies, 'cluster' | 'store' | 'clock' | 'entropy' | 'logger'>;
type HoldOptions = Pick<RelayOptions, 'leaseMs' | 'standbyPollMs' | 'clockSkewMs'>;

/**
 * One relay's hold on a cluster. By its own clock it ends `clockSkewMs` before the lease does, so that the next holder,
 * whose clock may be ahead, never begins while this one still sends.
 *
 * ```
 * renew     renew     renew fails ...      stops    lease ends
 *   |---------|---------|--------------------|---skew---|
 * ```
 */
export class RelayHold {
  readonly epoch: number;
  /** Aborts when the hold is lost, with a RelayLostError. */
  readonly signal: AbortSignal;
  readonly #deps: HoldDependencies;
  readonly #options: HoldOptions;
  readonly #owner: string;
  readonly #lost = new AbortController();
  #untilMs: number;
  #renewal: Promise<void> = Promise.resolve();

  private constructor(deps: HoldDependencies, options: HoldOptions, owner: string, epoch: number, untilMs: number) {
    this.#deps = deps;
    this.#options = options;
    this.#owner = owner;
    this.epoch = epoch;
    this.#untilMs = untilMs;
    this.signal = this.#lost.signal;
  }

  /** Waits as a standby until the lease can be had. Rejects with the signal's reason when it aborts first. */
  static async acquire(deps: HoldDependencies, options: HoldOptions, signal: AbortSignal): Promise<RelayHold> {
    const owner = deps.entropy.id();
    for (;;) {
      signal.throwIfAborted();
      const untilMs = deps.clock.now() + options.leaseMs;
      const epoch = await tryHold(deps, owner, untilMs);
      if (epoch !== undefined) return new RelayHold(deps, options, owner, epoch, untilMs);
      await deps.clock.sleep(options.standbyPollMs * (0.75 + deps.entropy.random() / 2), signal);
    }
  }

  get isHeld(): boolean {
    return !this.signal.aborted && this.#leftMs > 0;
  }

  /** @throws RelayLostError */
  assertHeld(): void {
    this.signal.throwIfAborted();
    if (!this.isHeld) this.lose('its lease could not be renewed in time');
    this.signal.throwIfAborted();
  }

  lose(why: string): void {
    if (!this.signal.aborted) this.#lost.abort(new RelayLostError(this.#deps.cluster, why));
  }

  /** Renews the lease until the signal aborts or the hold is lost. */
  async keep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.isHeld) {
      await this.#pause(Math.min(this.#options.leaseMs / 3, this.#leftMs), signal);
      if (signal.aborted || !this.isHeld) break;
      // A table that does not answer must not keep the end of the hold from being noticed.
      const answered = new AbortController();
      this.#renewal = this.#renew().finally(() => answered.abort());
      await Promise.race([this.#renewal, this.#pause(this.#leftMs, answered.signal)]);
    }
    if (!signal.aborted) this.lose('its lease could not be renewed in time');
  }

  /**
   * Gives the lease back so that the next relay need not wait for its end. A renewal that the table has not answered is
   * waited for: one that came after this would take the free lease, for an owner that is gone.
   */
  async release(): Promise<void> {
    this.lose('it was given back');
    await this.#renewal;
    await this.#deps.store.releaseRelay(this.#deps.cluster, this.#owner);
  }

  get #leftMs(): number {
    return this.#untilMs - this.#options.clockSkewMs - this.#deps.clock.now();
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(ms, signal).catch(() => {});
  }

  async #renew(): Promise<void> {
    const nowMs = this.#deps.clock.now();
    const untilMs = nowMs + this.#options.leaseMs;
    try {
      const epoch = await this.#deps.store.holdRelay(this.#deps.cluster, this.#owner, nowMs, untilMs);
      if (epoch === this.epoch) this.#untilMs = untilMs;
      else this.lose('another relay took it over');
    } catch (error) {
      this.#deps.logger.error('the relay could not renew its lease and will try again', error);
    }
  }
}

async function tryHold(deps: HoldDependencies, owner: string, untilMs: number): Promise<number | undefined> {
  try {
    return await deps.store.holdRelay(deps.cluster, owner, deps.clock.now(), untilMs);
  } catch (error) {
    deps.logger.error('the relay could not ask for its lease and will try again', error);
    return undefined;
  }
}
