import type { SkinnyEvent } from '../../core/event.ts';
import type { KindId } from '../../core/resource-type.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { EventSender } from '../event-sender.ts';
import { type RecordDependencies, recordWideChanges, type WideChange } from '../fanout/wide-change.ts';

/** The differences of one tick, by target and observation. The caller keeps them for the next tick. */
export type DifferenceIds = ReadonlySet<string>;

/** Beyond this many, differences are sent but no longer remembered, so that a flood does not grow memory. */
const MAX_REMEMBERED = 20_000;

/** The readers of at most this many changed objects are counted. The differences of further objects are sent one by one. */
const MAX_COUNTED = 20_000;

/** Sends the events when this many have come together. */
const CHUNK = 500;

/**
 * Collects the differences that a tick finds, sends them to the `resync` lane, and counts those that the last tick had found
 * as well. A difference for a full lane is left to the next tick. Otherwise each tick would send another event for each object
 * whose event still waits, and the queue would grow with each tick.
 */
export class Differences {
  readonly ids = new Set<string>();
  found = 0;
  drift = 0;
  /** How many of those found were not sent, because the lane of their controller group is full. */
  left = 0;
  readonly #sender: EventSender;
  readonly #metrics: Metrics;
  readonly #signal: AbortSignal;
  readonly #previous: DifferenceIds;
  readonly #recording: RecordDependencies;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #directReaders: number;
  readonly #fullLanes: ReadonlySet<string>;
  /** How many readers of a changed object got an event of their own, by group and object. */
  readonly #readers = new Map<string, number>();
  #events: SkinnyEvent[] = [];
  #wide: WideChange[] = [];

  /** @param fullLanes the controller groups whose lane is full. */
  constructor(
    deps: RecordDependencies & { readonly sender: EventSender; readonly clock: Pick<Clock, 'now'> },
    previous: DifferenceIds,
    signal: AbortSignal,
    { directReaders, fullLanes }: { readonly directReaders: number; readonly fullLanes: ReadonlySet<string> },
  ) {
    this.#recording = deps;
    this.#clock = deps.clock;
    this.#directReaders = directReaders;
    this.#fullLanes = fullLanes;
    this.#sender = deps.sender;
    this.#metrics = deps.metrics;
    this.#previous = previous;
    this.#signal = signal;
  }

  /**
   * @param kind of the object whose change was missed.
   * @param observation names the difference. If the next tick finds it again, it is drift: the watch should have delivered
   * it, or this event. Undefined for a difference that no watch delivers.
   * @param wide the same change for a round, if its event would also wake this reader. If an object has many readers, the
   * first of them still get an event of their own, which wakes them even if a stored dependency is missing.
   */
  async add(event: SkinnyEvent, kind: KindId, observation: string | undefined, wide?: WideChange): Promise<void> {
    this.found += 1;
    const dimensions = { Cluster: event.cluster, Kind: kind };
    this.#metrics.record('ResyncFound', 1, dimensions);
    // Its event may still wait in the lane, so it is no drift either.
    if (this.#fullLanes.has(this.#sender.groupOf(event))) {
      this.left += 1;
      return;
    }
    if (!this.#isToldByRound(wide)) this.#events.push(event);
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

  #isToldByRound(wide: WideChange | undefined): boolean {
    if (wide === undefined) return false;
    const id = Object.values(wide.key).join(' ');
    const told = this.#readers.get(id) ?? 0;
    if (told > this.#directReaders) return true;
    if (told === 0 && this.#readers.size >= MAX_COUNTED) return false;
    this.#readers.set(id, told + 1);
    if (told < this.#directReaders) return false;
    this.#wide.push(wide);
    return true;
  }

  /** @throws the error with which the queue refused the first of them; InfrastructureError */
  async flush(): Promise<void> {
    const events = this.#events;
    const wide = this.#wide;
    this.#events = [];
    this.#wide = [];
    // Sends the events first, so that a marker that fails keeps no event back.
    await this.#sender.sendAll('resync', events, this.#signal);
    const rounds = await recordWideChanges(this.#recording, wide, this.#clock.now(), true);
    await this.#sender.sendAll('resync', rounds, this.#signal);
  }
}
