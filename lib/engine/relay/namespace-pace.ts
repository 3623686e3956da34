import { type Bucket, type RateLimit, takeToken } from '../../core/rate-limit.ts';

/** Beyond this many namespaces the one that has not sent for the longest time is forgotten. */
const MAX_BUCKETS = 1_000;

/** Which events may go by the `events` lane: of one namespace no more than its pace allows. */
export class NamespacePace {
  readonly #limit: RateLimit;
  /** The namespace that sent last is the last one. */
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
