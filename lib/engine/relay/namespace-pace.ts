import { type Bucket, type RateLimit, takeToken } from '../../core/rate-limit.ts';

/** With more namespaces than this, the one that has not sent for the longest time is forgotten. */
const MAX_BUCKETS = 1_000;

/** Decides which events may use the `events` lane: no more of one namespace than its pace allows. */
export class NamespacePace {
  readonly #limit: RateLimit;
  /** Ordered by the last sending; the namespace that sent last is at the end. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Counts one event of the namespace. */
  admits(namespace: string, nowMs: number): boolean {
    const { taken, bucket } = takeToken(this.#limit, this.#buckets.get(namespace), nowMs);
    this.#buckets.delete(namespace);
    this.#buckets.set(namespace, bucket);
    const [first] = this.#buckets.keys();
    if (this.#buckets.size > MAX_BUCKETS && first !== undefined) this.#buckets.delete(first);
    return taken;
  }
}
