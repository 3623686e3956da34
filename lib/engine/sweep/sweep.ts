import { dueAtByThisClock, isSetByWrongClock, NEAR_DEADLINE_MS } from '../../core/deadline.ts';
import type { LeaseTimings } from '../../core/lease.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { DelayQueue } from '../../ports/queue.ts';
import type { DueHint, PollState, StateStore, TargetState } from '../../ports/state-store.ts';
import type { EventSender } from '../event-sender.ts';
import type { Registry } from '../registry.ts';
import { sendWake } from '../send-wake.ts';
import { dueEvent, pollRequest } from '../wake/due-event.ts';

export interface SweepOptions {
  /** How often the sweep runs. Timers that are due before the next run get their wake now. */
  readonly intervalMs: number;
  /** A timer that is overdue by this much has lost its wake, or its pass died. */
  readonly overdueMs: number;
}

export const DEFAULT_SWEEP_OPTIONS: SweepOptions = { intervalMs: 60_000, overdueMs: 5_000 };

/**
 * How far ahead a timer may lie that was meant to be near: the longest near timer, set by a clock that is ten minutes ahead.
 */
const LOOKED_AT_MS = NEAR_DEADLINE_MS + 10 * 60_000;

export interface SweepDependencies {
  readonly store: StateStore;
  readonly sender: EventSender;
  readonly registry: Registry;
  readonly wakes: Pick<DelayQueue, 'sendDelayed'>;
  readonly timings: LeaseTimings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /**
   * Whether the deployment still has a cluster; all by default. The timers of a cluster that was removed from the list stay
   * as they are. They cost no message, because no worker could handle it.
   */
  readonly hasCluster?: (cluster: string) => boolean;
}

/** Stands for a timer whose setting time is not recorded. It does not count as set by a wrong clock. */
const UNKNOWN_MS = 0;

type TimerAction = 'sent' | 'woken' | 'moved' | 'nothing';

/**
 * Finds due timers in the index. The index is only a hint: the item of each timer decides. Near timers get a delayed wake.
 * The event of an overdue timer is sent first and the timer is pushed out after that, so that a crash in between sends twice,
 * never zero times.
 *
 * ```
 * overdue: sent      due before the next run: gets its wake      meant to be near, if a wrong clock set it: moved
 * ---------------|now|------------ intervalMs ------------|------------------ LOOKED_AT_MS ------------------|
 * ```
 *
 * Keep one sweep as long as the process lives. It remembers when the timers of the last section were set, so that it reads
 * their items once and not at each run.
 */
export class Sweep {
  readonly #deps: SweepDependencies;
  readonly #options: SweepOptions;
  /** By shard: when each timer beyond the next run was set, by the hint that showed it. Grows only with these timers. */
  readonly #setAtMs = new Map<number, ReadonlyMap<string, number>>();

  constructor(deps: SweepDependencies, options: SweepOptions = DEFAULT_SWEEP_OPTIONS) {
    this.#deps = deps;
    this.#options = options;
  }

  /**
   * Runs once over all shards. If an event cannot be sent, the error is logged and the next run tries again; no other timer
   * is delayed.
   * @throws InfrastructureError when the index could not be read.
   */
  async run(signal?: AbortSignal): Promise<{ sent: number; woken: number; failed: number }> {
    const totals = { sent: 0, woken: 0, failed: 0 };
    await Promise.all(
      Array.from({ length: this.#deps.store.shards }, (_, shard) => this.#runShard(shard, totals, signal)),
    );
    return totals;
  }

  async #runShard(
    shard: number,
    totals: { sent: number; woken: number; failed: number },
    signal?: AbortSignal,
  ): Promise<void> {
    const { store, clock } = this.#deps;
    const untilMs = clock.now() + Math.max(this.#options.intervalMs, LOOKED_AT_MS);
    const known = this.#setAtMs.get(shard);
    const setAtMs = new Map<string, number>();
    let after: string | undefined;
    do {
      signal?.throwIfAborted();
      const page = await store.due(shard, untilMs, after);
      for (const hint of page.items) {
        try {
          const key = JSON.stringify(hint);
          if (this.#isKnownToStand(hint, known?.get(key))) {
            setAtMs.set(key, known?.get(key) ?? 0);
            continue;
          }
          const done = await this.#handle(hint, (itsSetAtMs) => setAtMs.set(key, itsSetAtMs));
          if (done === 'sent') {
            totals.sent += 1;
            this.#deps.metrics.record('SweepSent', 1, { Shard: String(shard) });
          } else if (done === 'woken') totals.woken += 1;
        } catch (error) {
          totals.failed += 1;
          this.#deps.logger.error('a timer could not be sent; the next sweep tries again', error, {
            shard,
            ...named(hint),
          });
        }
      }
      after = page.next;
    } while (after !== undefined);
    this.#setAtMs.set(shard, setAtMs);
  }

  /** Whether a timer lies beyond the next run and a right clock set it. Then the sweep does nothing and sends no request. */
  #isKnownToStand(hint: DueHint, dueSetAtMs: number | undefined): boolean {
    if (dueSetAtMs === undefined) return false;
    const nowMs = this.#deps.clock.now();
    if (hint.dueAtMs <= nowMs + this.#options.intervalMs) return false;
    return !isSetByWrongClock({ dueAtMs: hint.dueAtMs, dueSetAtMs }, nowMs, this.#deps.timings.clockSkewMs);
  }

  /** @param remember called with the time at which the timer of the hint was set. */
  async #handle(hint: DueHint, remember: (dueSetAtMs: number) => void): Promise<TimerAction> {
    const { cluster } = hint.type === 'target' ? hint.target : hint.poll;
    if (this.#deps.hasCluster?.(cluster) === false) return 'nothing';
    const { store, registry } = this.#deps;
    if (hint.type === 'target') {
      if (registry.controllerOf(hint.target.kind) === undefined) return 'nothing';
      const state = await store.readTarget(hint.target);
      if (state?.dueAtMs === hint.dueAtMs) remember(state.dueSetAtMs ?? UNKNOWN_MS);
      return state?.dueAtMs === undefined ? 'nothing' : await this.#handleTarget(state, state.dueAtMs);
    }
    const poll = await store.readPoll(hint.poll);
    if (poll?.dueAtMs === hint.dueAtMs) remember(poll.dueSetAtMs ?? UNKNOWN_MS);
    return poll === undefined ? 'nothing' : await this.#handlePoll(poll);
  }

  async #handleTarget(state: TargetState, dueAtMs: number): Promise<TimerAction> {
    const { store, sender, wakes, timings, clock } = this.#deps;
    const { epoch } = state;
    const deadline = { ...state, dueAtMs };
    const nowMs = clock.now();
    if (dueAtMs + this.#options.overdueMs <= nowMs) {
      await sender.sendAll('events', [dueEvent(state, dueAtMs, nowMs)]);
      await store.pushDue(state.target, { dueAtMs, epoch }, nowMs + 2 * timings.visibilityMs, nowMs);
      return 'sent';
    }
    const movedAtMs = dueAtByThisClock(deadline, nowMs, timings.clockSkewMs);
    if (movedAtMs !== undefined) {
      if (!(await store.pushDue(state.target, { dueAtMs, epoch }, movedAtMs, nowMs))) return 'nothing';
      if (movedAtMs > nowMs + this.#options.intervalMs) return 'moved';
      const moved = { dueAtMs: movedAtMs, dueSetAtMs: nowMs };
      await sendWake(wakes, { type: 'target', target: state.target, dueAtMs: movedAtMs }, moved, nowMs);
      return 'woken';
    }
    if (state.wakeSent || dueAtMs > nowMs + this.#options.intervalMs) return 'nothing';
    await sendWake(wakes, { type: 'target', target: state.target, dueAtMs }, deadline, nowMs);
    return 'woken';
  }

  async #handlePoll(state: PollState): Promise<TimerAction> {
    const { store, sender, wakes, timings, clock } = this.#deps;
    const nowMs = clock.now();
    if (state.dueAtMs + this.#options.overdueMs <= nowMs) {
      // The timer is not pushed out here, because the poll itself moves it. Until then the deduplication id prevents a second
      // message.
      await sender.sendAll('events', [pollRequest(state.poll, state.dueAtMs, nowMs)]);
      return 'sent';
    }
    const movedAtMs = dueAtByThisClock(state, nowMs, timings.clockSkewMs);
    if (movedAtMs !== undefined) {
      // A save records that its caller sends the wake. If the wake is lost, the next sweeps find the timer overdue.
      if (!(await store.savePoll(state, state.version, movedAtMs, nowMs))) return 'nothing';
      const moved = { dueAtMs: movedAtMs, dueSetAtMs: nowMs };
      await sendWake(wakes, { type: 'poll', poll: state.poll, dueAtMs: movedAtMs }, moved, nowMs);
      return 'woken';
    }
    if (state.wakeSent || state.dueAtMs > nowMs + this.#options.intervalMs) return 'nothing';
    await sendWake(wakes, { type: 'poll', poll: state.poll, dueAtMs: state.dueAtMs }, state, nowMs);
    return 'woken';
  }
}

function named(hint: DueHint): Record<string, string> {
  return hint.type === 'target' ? { ...hint.target } : { ...hint.poll };
}
