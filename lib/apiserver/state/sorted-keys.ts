/** A set of keys in bytewise order. Keys are ASCII, so the order of UTF-16 code units is the same. */
export class SortedKeys {
  readonly #keys: string[] = [];

  get size(): number {
    return this.#keys.length;
  }

  add(key: string): void {
    const index = this.#firstNotBelow(key);
    if (this.#keys[index] !== key) this.#keys.splice(index, 0, key);
  }

  delete(key: string): void {
    const index = this.#firstNotBelow(key);
    if (this.#keys[index] === key) this.#keys.splice(index, 1);
  }

  /** The keys that have the prefix and are not smaller than `from`, in order. */
  range(prefix: string, from = ''): string[] {
    const start = this.#firstNotBelow(from > prefix ? from : prefix);
    if (prefix === '') return this.#keys.slice(start);
    let end = start;
    while (end < this.#keys.length && this.#keys[end]?.startsWith(prefix)) end += 1;
    return this.#keys.slice(start, end);
  }

  #firstNotBelow(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
