import { EvenkeelError, errorLines } from '../../lib/core/errors.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { UsageError } from '../usage-error.ts';
import type { BulkReport } from './api-types.ts';

/** The most failures that a report lists. */
const MAX_FAILURES = 50;

export interface BulkOrder {
  /** For the report, e.g. `Start passes`. */
  readonly title: string;
  /** The most objects that are acted on. */
  readonly limit: number;
  readonly perSecond: number;
}

/** What the work of an action for many objects reports. */
export interface BulkProgress {
  /** Waits until the next object may be acted on. @returns false when there is none: the limit is reached, or it is stopped. */
  turn(): Promise<boolean>;
  done(): void;
  /** @param name of what could not be acted on. */
  failed(name: string, error: unknown): void;
}

/** Runs one action for many objects at a time, at a limited rate. Its report is kept until the next one starts. */
export class BulkRunner {
  readonly #clock: Clock;
  readonly #describe: (error: unknown) => string;
  #running: Bulk | undefined;

  /** @param describe reports an unexpected error without its text, which may quote anything. */
  constructor(clock: Clock, describe: (error: unknown) => string) {
    this.#clock = clock;
    this.#describe = describe;
  }

  /** Starts it and returns. @throws UsageError while another one is running. */
  start(order: BulkOrder, work: (progress: BulkProgress) => Promise<void>): void {
    if (this.report()?.state === 'running')
      throw new UsageError('an action for many objects is running. Wait for its end, or stop it.');
    this.#running = new Bulk(order, this.#clock, this.#describe);
    void this.#running.run(work);
  }

  report(): BulkReport | undefined {
    return this.#running?.report();
  }

  /** @returns whether one was running. */
  stop(): boolean {
    return this.#running?.stop() ?? false;
  }
}

class Bulk implements BulkProgress {
  readonly #order: BulkOrder;
  readonly #clock: Clock;
  readonly #describe: (error: unknown) => string;
  readonly #stop = new AbortController();
  readonly #failures: { name: string; error: string }[] = [];
  #state: BulkReport['state'] = 'running';
  #turns = 0;
  #done = 0;
  #failed = 0;

  constructor(order: BulkOrder, clock: Clock, describe: (error: unknown) => string) {
    this.#order = order;
    this.#clock = clock;
    this.#describe = describe;
  }

  async run(work: (progress: BulkProgress) => Promise<void>): Promise<void> {
    try {
      await work(this);
    } catch (error) {
      this.failed('the action', error);
    }
    this.#state = this.#stop.signal.aborted ? 'stopped' : 'ended';
  }

  async turn(): Promise<boolean> {
    if (this.#turns >= this.#order.limit) return false;
    if (this.#turns > 0)
      await this.#clock.sleep(1_000 / this.#order.perSecond, this.#stop.signal).catch(() => undefined);
    if (this.#stop.signal.aborted) return false;
    this.#turns += 1;
    return true;
  }

  done(): void {
    this.#done += 1;
  }

  failed(name: string, error: unknown): void {
    this.#failed += 1;
    if (this.#failures.length >= MAX_FAILURES) return;
    const text = error instanceof EvenkeelError ? errorLines(error).join(' ') : `${this.#describe(error)}.`;
    this.#failures.push({ name, error: text });
  }

  stop(): boolean {
    this.#stop.abort();
    return this.#state === 'running';
  }

  report(): BulkReport {
    const { title, limit } = this.#order;
    const counts = { limit, done: this.#done, failed: this.#failed };
    return { title, state: this.#state, ...counts, failures: [...this.#failures] };
  }
}
