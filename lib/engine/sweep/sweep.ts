import type { LeaseTimings } from '../../core/lease.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { DelayQueue } from '../../ports/queue.ts';
import type { DueHint, StateStore } from '../../ports/state-store.ts';
import type { EventSender } from '../event-sender.ts';
import type { Registry } from '../registry.ts';
import { dueEvent, pollEvent } from '../wake/due-event.ts';
import { sendWake } from '../wake/send-wake.ts';

export interface SweepOptions {
  /** How often the sweep runs: deadlines until the next run get their wake now. */
  readonly intervalMs: number;
  /** A deadline this long overdue has lost its wake, or its pass died. */
  readonly overdueMs: number;
}

export const DEFAULT_SWEEP_OPTIONS: SweepOptions = { intervalMs: 60_000, overdueMs: 5_000 };

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
   * Whether the deployment still has a cluster; all by default. The deadlines of one that was taken off the list stay
   * where they are, and cost no message: nobody could handle it.
   */
  readonly hasCluster?: (cluster: string) => boolean;
}

/**
 * Finds due deadlines in the index, which only hints: each is judged on its item. Near ones get a delayed wake; overdue
 * ones are sent first and pushed out after, so that a crash in between sends twice, never zero times.
 */
export class Sweep {
  readonly #deps: SweepDependencies;
  readonly #options: SweepOptions;

  constructor(deps: SweepDependencies, options: SweepOptions = DEFAULT_SWEEP_OPTIONS) {
    this.#deps = deps;
    this.#options = options;
  }

  /**
   * One run over all shards. A deadline that could not be sent is logged and left to the next run: it delays no other.
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
    const untilMs = this.#deps.clock.now() + this.#options.intervalMs;
    let after: string | undefined;
    do {
      signal?.throwIfAborted();
      const page = await this.#deps.store.due(shard, untilMs, after);
      for (const hint of page.items) {
        try {
          const done = await this.#judge(hint);
          if (done === 'sent') {
            totals.sent += 1;
            this.#deps.metrics.record('SweepSent', 1, { Shard: String(shard) });
          } else if (done === 'woken') totals.woken += 1;
        } catch (error) {
          totals.failed += 1;
          this.#deps.logger.error('a deadline could not be sent; the next sweep tries again', error, {
            shard,
            ...named(hint),
          });
        }
      }
      after = page.next;
    } while (after !== undefined);
  }

  async #judge(hint: DueHint): Promise<'sent' | 'woken' | 'nothing'> {
    const { cluster } = hint.type === 'target' ? hint.target : hint.poll;
    if (this.#deps.hasCluster?.(cluster) === false) return 'nothing';
    return hint.type === 'target' ? await this.#judgeTarget(hint) : await this.#judgePoll(hint);
  }

  async #judgeTarget(hint: Extract<DueHint, { type: 'target' }>): Promise<'sent' | 'woken' | 'nothing'> {
    const { store, sender, registry, wakes, timings, clock } = this.#deps;
    if (registry.controllerOf(hint.target.kind) === undefined) return 'nothing';
    const state = await store.readTarget(hint.target);
    if (state?.dueAtMs === undefined) return 'nothing';
    const { dueAtMs, epoch } = state;
    const nowMs = clock.now();
    if (dueAtMs + this.#options.overdueMs <= nowMs) {
      await sender.sendAll('events', [dueEvent(state, dueAtMs, nowMs)]);
      await store.pushDue(state.target, { dueAtMs, epoch }, nowMs + 2 * timings.visibilityMs);
      return 'sent';
    }
    if (state.wakeSent || dueAtMs > nowMs + this.#options.intervalMs) return 'nothing';
    await sendWake(wakes, { type: 'target', target: state.target, dueAtMs }, nowMs);
    return 'woken';
  }

  async #judgePoll(hint: Extract<DueHint, { type: 'poll' }>): Promise<'sent' | 'woken' | 'nothing'> {
    const { store, sender, wakes, clock } = this.#deps;
    const state = await store.readPoll(hint.poll);
    if (state === undefined) return 'nothing';
    const nowMs = clock.now();
    if (state.dueAtMs + this.#options.overdueMs <= nowMs) {
      // Not pushed out: the poll itself moves its deadline, and until then the id keeps this from being sent twice.
      await sender.sendAll('events', [pollEvent(state.poll, state.dueAtMs, nowMs)]);
      return 'sent';
    }
    if (state.wakeSent || state.dueAtMs > nowMs + this.#options.intervalMs) return 'nothing';
    await sendWake(wakes, { type: 'poll', poll: state.poll, dueAtMs: state.dueAtMs }, nowMs);
    return 'woken';
  }
}

function named(hint: DueHint): Record<string, string> {
  return hint.type === 'target' ? { ...hint.target } : { ...hint.poll };
}
