/**
 * Hands items from one reader to one taker. The reader waits while the buffer is full: if the taker cannot continue, the
 * reading stops and memory does not grow.
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

  /** Returns all items, as soon as there is one. Returns an empty list when the buffer is closed and empty. */
  async takeAll(): Promise<Item[]> {
    while (this.#items.length === 0 && !this.#closed) await this.#changed.promise;
    const taken = this.#items;
    this.#items = [];
    this.#announce();
    return taken;
  }

  /** Ends the buffer: no more items come. All waiting calls continue. */
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
