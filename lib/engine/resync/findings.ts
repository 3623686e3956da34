import type { SkinnyEvent } from '../../core/event.ts';
import type { KindId } from '../../core/resource-type.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { EventSender } from '../event-sender.ts';

/** What one tick found, by target and observation; kept by the caller for the next tick. */
export type FindingIds = ReadonlySet<string>;

/** Beyond this many, findings are sent but no longer remembered, so that a flood does not grow memory. */
const MAX_REMEMBERED = 20_000;

/** Events are handed to the queue when this many have come together. */
const CHUNK = 500;

/** Collects what a tick finds, sends it to the `resync` lane, and tells what should have been handled since the last. */
export class Findings {
  readonly ids = new Set<string>();
  found = 0;
  drift = 0;
  readonly #sender: EventSender;
  readonly #metrics: Metrics;
  readonly #signal: AbortSignal;
  readonly #previous: FindingIds;
  #events: SkinnyEvent[] = [];

  constructor(deps: { sender: EventSender; metrics: Metrics }, previous: FindingIds, signal: AbortSignal) {
    this.#sender = deps.sender;
    this.#metrics = deps.metrics;
    this.#previous = previous;
    this.#signal = signal;
  }

  /**
   * @param kind of the object whose change was missed.
   * @param observation names what was found: found again at the next tick, it is drift (the watch should have delivered
   * it, or this event). Undefined for what no watch delivers.
   */
  async add(event: SkinnyEvent, kind: KindId, observation: string | undefined): Promise<void> {
    this.#events.push(event);
    this.found += 1;
    const dimensions = { Cluster: event.cluster, Kind: kind };
    this.#metrics.record('ResyncFound', 1, dimensions);
    if (observation !== undefined) {
      const id = `${event.uid} ${observation}`;
      if (this.#previous.has(id)) {
        this.drift += 1;
        this.#metrics.record('ResyncDrift', 1, dimensions);
      }
      if (this.ids.size < MAX_REMEMBERED) this.ids.add(id);
    }
    if (this.#events.length >= CHUNK) await this.flush();
  }

  /** @throws what the queue refused the first of them with. */
  async flush(): Promise<void> {
    const events = this.#events;
    this.#events = [];
    await this.#sender.sendAll('resync', events, this.#signal);
  }
}
