import type { QueueMessage } from '../../core/event.ts';
import type { Target } from '../../core/target.ts';
import type { PassReport } from '../../engine/pass/pass-report.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ManualClock } from '../../testing/manual-clock.ts';
import type { CurrentPass } from '../changes/current-pass.ts';
import { targetOf } from './plan-engine.ts';

/** An object with this many passes counts as one that does not settle. */
export const MAX_PASSES = 40;

export interface PassLedgerOptions {
  readonly pass: CurrentPass;
  readonly clock: ManualClock;
  readonly realClock: Clock;
  readonly passLimitMs: number;
}

/** Runs messages within the limits of a plan, and records how the passes of each object ended. */
export class PassLedger {
  /** The number of passes that ran. */
  passes = 0;
  /** The last report of each object, by UID. */
  readonly last = new Map<string, PassReport>();
  readonly #options: PassLedgerOptions;
  readonly #runs = new Map<string, { readonly target: Target; count: number }>();

  constructor(options: PassLedgerOptions) {
    this.#options = options;
  }

  /** The objects that got no further pass, because they did not settle. */
  unsettled(): Target[] {
    return [...this.#runs.values()].filter(({ count }) => count > MAX_PASSES).map(({ target }) => target);
  }

  async run(message: QueueMessage, handle: () => Promise<unknown>): Promise<unknown> {
    const target = targetOf(message);
    if (target === undefined) return await handle();
    const runs = this.#runs.get(target.uid) ?? { target, count: 0 };
    runs.count += 1;
    this.#runs.set(target.uid, runs);
    if (runs.count > MAX_PASSES) return undefined;
    return await this.#options.pass.run(target, () => this.#limited(handle));
  }

  report(report: PassReport): void {
    if (report.end === 'covered' || report.end === 'held') return;
    this.passes += 1;
    this.last.set(report.target.uid, report);
  }

  /**
   * Virtual time stands still during a pass. If a pass hangs, this advances virtual time after the limit in real time,
   * so that the pass ends by its own limit.
   */
  async #limited(handle: () => Promise<unknown>): Promise<unknown> {
    const { realClock, clock, passLimitMs } = this.#options;
    const ended = new AbortController();
    const limit = realClock.sleep(passLimitMs, ended.signal).then(
      () => clock.advance(passLimitMs),
      () => undefined,
    );
    try {
      return await handle();
    } finally {
      ended.abort();
      await limit;
    }
  }
}
