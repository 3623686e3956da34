import { backoffDelayMs } from '../../core/backoff.ts';
import { InfrastructureError } from '../../core/errors.ts';
import type { QueueMessage } from '../../core/event.ts';
import type { SendResult } from '../../ports/queue.ts';
import type { Lane } from '../event-sender.ts';
import type { RelayHold } from './relay-hold.ts';
import type { RelayDependencies, RelayOptions } from './relay-options.ts';

type DeliveryDependencies = Pick<RelayDependencies, 'cluster' | 'sender' | 'clock' | 'entropy' | 'logger' | 'metrics'>;

/** Sends the events of one kind until the queue has accepted every one of them. */
export class Delivery {
  readonly #deps: DeliveryDependencies;
  readonly #options: Pick<RelayOptions, 'backoff'>;
  readonly #hold: RelayHold;
  readonly #kind: string;
  #refusing = false;

  constructor(deps: DeliveryDependencies, options: Pick<RelayOptions, 'backoff'>, hold: RelayHold, kind: string) {
    this.#deps = deps;
    this.#options = options;
    this.#hold = hold;
    this.#kind = kind;
  }

  /**
   * Resolves when the queue has accepted all events. A refused event is sent again after a growing delay, and the caller
   * waits. So a queue that is down stops the reading, and no later event overtakes a refused one of the same target.
   * @throws RelayLostError; the signal's reason.
   */
  async deliver(lane: Lane, events: readonly QueueMessage[], signal: AbortSignal): Promise<void> {
    let left = events;
    for (let failures = 0; left.length > 0; ) {
      this.#hold.assertHeld();
      signal.throwIfAborted();
      const results = await this.#send(lane, left, signal);
      const refused = left.filter((_, index) => results[index]?.accepted !== true);
      if (refused.length < left.length) {
        const dimensions = { Cluster: this.#deps.cluster, Kind: this.#kind };
        this.#deps.metrics.record('RelaySent', left.length - refused.length, dimensions);
        failures = 0;
      }
      this.#report(refused.length, results);
      left = refused;
      if (left.length === 0) return;
      failures += 1;
      const delayMs = backoffDelayMs(this.#options.backoff, failures, this.#deps.entropy.random());
      await this.#deps.clock.sleep(delayMs, signal);
    }
  }

  async #send(lane: Lane, events: readonly QueueMessage[], signal: AbortSignal): Promise<SendResult[]> {
    try {
      return await this.#deps.sender.send(lane, events, signal);
    } catch (error) {
      signal.throwIfAborted();
      // Any other error is a bug of evenkeel, and a retry would not help.
      if (!(error instanceof InfrastructureError)) throw error;
      return events.map(() => ({ accepted: false, error }));
    }
  }

  /** Logs once for each change of the state, not for each try. */
  #report(refused: number, results: readonly SendResult[]): void {
    const isRefusing = refused > 0;
    if (isRefusing === this.#refusing) return;
    this.#refusing = isRefusing;
    if (!isRefusing) {
      this.#deps.logger.info('the queue accepts this kind again', { kind: this.#kind });
      return;
    }
    const first = results.find((result) => !result.accepted);
    const error = first?.accepted === false ? first.error : undefined;
    this.#deps.logger.error('the queue refuses messages: this kind waits', error, { kind: this.#kind, refused });
  }
}
