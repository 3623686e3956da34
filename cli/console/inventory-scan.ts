import { setImmediate } from 'node:timers/promises';
import type { ResourceType } from '../../lib/core/resource-type.ts';
import type { TargetState } from '../../lib/ports/state-store.ts';
import type { Inspection } from '../inspection/inspection.ts';
import { readInventory } from '../inspection/read-targets.ts';

/** After this many items, other work of the process gets its turn. */
const ITEMS_AT_ONCE = 200;

/** Yields every object of some kinds, one after the other. It keeps none of them. */
export async function* scan(
  { store, cluster }: Inspection,
  types: readonly ResourceType[],
): AsyncGenerator<{ readonly type: ResourceType; readonly target: TargetState }> {
  let items = 0;
  for (const type of types) {
    for await (const target of readInventory(store, cluster, type)) {
      yield { type, target };
      items += 1;
      if (items % ITEMS_AT_ONCE === 0) await setImmediate();
    }
  }
}

/** Keeps the first items by an order, of any number of offered ones. It keeps at most twice as many. */
export class FirstItems<Item> {
  readonly #most: number;
  readonly #compare: (left: Item, right: Item) => number;
  #items: Item[] = [];

  constructor(most: number, compare: (left: Item, right: Item) => number) {
    this.#most = most;
    this.#compare = compare;
  }

  /** The number of items that it keeps now. */
  get held(): number {
    return this.#items.length;
  }

  offer(item: Item): void {
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#most) this.#cut();
  }

  sorted(): readonly Item[] {
    this.#cut();
    return this.#items;
  }

  #cut(): void {
    this.#items = this.#items.sort(this.#compare).slice(0, this.#most);
  }
}
