/**
 * Hands items from one reader to one taker. The reader waits while the buffer is full, so that a taker that cannot go on
 * stops the reading instead of letting memory grow.
 */
export class BoundedBuffer<Item> {
  readonly #limit: number;
  #items: Item[] = [];
  #closed = false;
  #changed = Promise.withResolvers<void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves when there is room for another one. */
  async put(item: Item): Promise<void> {
    this.#items.push(item);
    this.#announce();
    while (this.#items.length >= this.#limit && !this.#closed) await this.#changed.promise;
  }

  /** Everything there is, as soon as there is something; empty when the buffer is closed and used up. */
  async takeAll(): Promise<Item[]> {
    while (this.#items.length === 0 && !this.#closed) await this.#changed.promise;
    const taken = this.#items;
    this.#items = [];
    this.#announce();
    return taken;
  }

  /** Nothing more comes. All that wait go on. */
  close(): void {
    this.#closed = true;
    this.#announce();
  }

  #announce(): void {
    const before = this.#changed;
    this.#changed = Promise.withResolvers();
    before.resolve();
  }
}
