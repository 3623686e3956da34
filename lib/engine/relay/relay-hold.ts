import { EvenkeelError } from '../../core/errors.ts';
import type { RelayRecord } from '../../ports/state-store.ts';
import { UnchangedRecord } from '../unchanged-record.ts';
import type { RelayDependencies, RelayOptions } from './relay-options.ts';

/** Another relay holds the cluster, or may hold it by now. This relay must not send or record anything any more. */
export class RelayLostError extends EvenkeelError {
  constructor(cluster: string, why: string) {
    super(
      'RELAY_LOST',
      `this relay no longer holds cluster ${cluster}: ${why}. Another one continues from its checkpoints.`,
    );
  }
}

type HoldDependencies = Pick<RelayDependencies, 'cluster' | 'store' | 'clock' | 'entropy' | 'logger' | 'holdSeen'>;
type HoldOptions = Pick<RelayOptions, 'leaseMs' | 'standbyPollMs' | 'clockSkewMs'>;

/**
 * One relay's hold on a cluster. Neither the holder nor a standby decides about it by a wall clock. The holder stops
 * `clockSkewMs` before its lease ends, counted from its last renewal. A standby takes over once it has seen the same record
 * for the lease and `clockSkewMs` more. Both count by their own monotonic clocks.
 *
 * ```
 * holder    renew     renew     renew fails ...      stops    lease ends
 *             |---------|---------|--------------------|---skew---|
 * standby                 sees the record                              still the same: takes over
 *                             |----------------- lease + skew ------------|
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
  /** Monotonic ms. */
  #endsAtMs: number;
  #renewal: Promise<void> = Promise.resolve();

  private constructor(deps: HoldDependencies, options: HoldOptions, owner: string, epoch: number, endsAtMs: number) {
    this.#deps = deps;
    this.#options = options;
    this.#owner = owner;
    this.epoch = epoch;
    this.#endsAtMs = endsAtMs;
    this.signal = this.#lost.signal;
  }

  /** Waits as a standby until it can take the lease. Rejects with the signal's reason when the signal aborts first. */
  static async acquire(deps: HoldDependencies, options: HoldOptions, signal: AbortSignal): Promise<RelayHold> {
    const owner = deps.entropy.id();
    const seen = deps.holdSeen ?? new UnchangedRecord();
    for (;;) {
      signal.throwIfAborted();
      const chance = await findChance(deps, options, owner, seen);
      if (chance.type === 'free') {
        const endsAtMs = deps.clock.monotonic() + options.leaseMs;
        const epoch = await tryHold(deps, options, owner, chance.over);
        if (epoch !== undefined) return new RelayHold(deps, options, owner, epoch, endsAtMs);
      }
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
      // The end of the hold must be noticed even if the table does not answer.
      const answered = new AbortController();
      this.#renewal = this.#renew().finally(() => answered.abort());
      await Promise.race([this.#renewal, this.#pause(this.#leftMs, answered.signal)]);
    }
    if (!signal.aborted) this.lose('its lease could not be renewed in time');
  }

  /**
   * Frees the lease so that the next relay need not wait until it expires. It first waits for a renewal that the table has
   * not answered: a renewal after the release would take the free lease for an owner that is gone.
   */
  async release(): Promise<void> {
    this.lose('it was released');
    await this.#renewal;
    await this.#deps.store.releaseRelay(this.#deps.cluster, this.#owner);
  }

  get #leftMs(): number {
    return this.#endsAtMs - this.#options.clockSkewMs - this.#deps.clock.monotonic();
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(ms, signal).catch(() => {});
  }

  async #renew(): Promise<void> {
    const { cluster, store, clock } = this.#deps;
    const { leaseMs } = this.#options;
    const nowMs = clock.now();
    const endsAtMs = clock.monotonic() + leaseMs;
    try {
      const epoch = await store.holdRelay(cluster, this.#owner, nowMs, nowMs + leaseMs);
      if (epoch === this.epoch) this.#endsAtMs = endsAtMs;
      else this.lose('another relay took it over');
    } catch (error) {
      this.#deps.logger.error('the relay could not renew its lease and will try again', error);
    }
  }
}

/** What a standby sees of the hold. */
type Chance =
  | { readonly type: 'held' }
  /**
   * Nobody holds it; this relay holds it already (an answer was lost); or `over`: its relay has not renewed it for too long.
   */
  | { readonly type: 'free'; readonly over?: RelayRecord };

async function findChance(
  deps: HoldDependencies,
  { leaseMs, clockSkewMs }: HoldOptions,
  owner: string,
  seen: UnchangedRecord,
): Promise<Chance> {
  const askedAtMs = deps.clock.monotonic();
  try {
    const { relay } = await deps.store.readCluster(deps.cluster);
    if (relay === undefined || relay.owner === owner) return { type: 'free' };
    const unchangedMs = seen.see(holdRecordKey(relay), askedAtMs, deps.clock.monotonic());
    return unchangedMs > leaseMs + clockSkewMs ? { type: 'free', over: relay } : { type: 'held' };
  } catch (error) {
    deps.logger.error('the relay could not read the lease and will try again', error);
    return { type: 'held' };
  }
}

/** The fields that every renewal and every takeover changes. */
export function holdRecordKey({ owner, epoch, untilMs, renewals }: RelayRecord): string {
  return JSON.stringify([owner, epoch, untilMs, renewals]);
}

async function tryHold(
  deps: HoldDependencies,
  { leaseMs }: HoldOptions,
  owner: string,
  over: RelayRecord | undefined,
): Promise<number | undefined> {
  const nowMs = deps.clock.now();
  try {
    return await deps.store.holdRelay(deps.cluster, owner, nowMs, nowMs + leaseMs, over);
  } catch (error) {
    deps.logger.error('the relay could not ask for its lease and will try again', error);
    return undefined;
  }
}
