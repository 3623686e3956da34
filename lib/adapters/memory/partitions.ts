import type { TableKey } from '../state-keys.ts';

export interface PageQuery {
  /** Returns only sort keys with this prefix. */
  readonly prefix?: string;
  /** Returns only sort keys after this one. */
  readonly after?: string;
  readonly limit: number;
}

/** Items by partition and sort key. Within a partition they are in the order of the sort keys, as in a table. */
export class Partitions<Item> {
  readonly #partitions = new Map<string, Map<string, Item>>();
  readonly #orders = new Map<string, string[]>();

  get({ pk, sk }: TableKey): Item | undefined {
    return this.#partitions.get(pk)?.get(sk);
  }

  set({ pk, sk }: TableKey, item: Item): void {
    let partition = this.#partitions.get(pk);
    if (partition === undefined) {
      partition = new Map();
      this.#partitions.set(pk, partition);
    }
    if (!partition.has(sk)) this.#orders.delete(pk);
    partition.set(sk, item);
  }

  delete({ pk, sk }: TableKey): void {
    if (this.#partitions.get(pk)?.delete(sk) === true) this.#orders.delete(pk);
  }

  /** `next` is the last returned sort key, when there may be more items. */
  page(pk: string, { prefix = '', after = '', limit }: PageQuery): { items: Item[]; next?: string } {
    const partition = this.#partitions.get(pk);
    const items: Item[] = [];
    if (partition === undefined) return { items };
    const order = this.#order(pk, partition);
    let index = firstIndex(order, (key) => key >= prefix && key > after);
    for (; index < order.length; index += 1) {
      const key = order[index] ?? '';
      if (!key.startsWith(prefix)) break;
      const item = partition.get(key);
      if (item !== undefined) items.push(item);
      if (items.length === limit) return { items, next: key };
    }
    return { items };
  }

  *all(): Iterable<Item> {
    for (const partition of this.#partitions.values()) yield* partition.values();
  }

  /** Remembers all items. @returns a function that puts them back in place of the items at that time. */
  backUp(): () => void {
    const copy = (from: ReadonlyMap<string, ReadonlyMap<string, Item>>) =>
      [...from].map(([pk, partition]) => [pk, new Map(partition)] as const);
    const kept = new Map(copy(this.#partitions));
    return () => {
      this.#partitions.clear();
      this.#orders.clear();
      for (const [pk, partition] of copy(kept)) this.#partitions.set(pk, partition);
    };
  }

  #order(pk: string, partition: Map<string, Item>): string[] {
    let order = this.#orders.get(pk);
    if (order === undefined) {
      order = [...partition.keys()].sort();
      this.#orders.set(pk, order);
    }
    return order;
  }
}

/** The index of the first key for which `reached` is true. All keys after it must be reached too. */
function firstIndex(keys: readonly string[], reached: (key: string) => boolean): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reached(keys[middle] ?? '')) high = middle;
    else low = middle + 1;
  }
  return low;
}
