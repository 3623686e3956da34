import type { Change, Store } from './store.ts';

export interface Subscription {
  readonly collection: string;
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** Called for each write to the collection (and namespace), in the order of the revisions. It must not write. */
  deliver(change: Change): void;
  /** Ends the subscription; the server calls it. */
  close(): void;
}

/** Passes each write to the watches that it may concern: by collection, and by namespace when a watch names one. */
export class WatchHub {
  readonly #everywhere = new Map<string, Set<Subscription>>();
  readonly #inNamespace = new Map<string, Set<Subscription>>();

  constructor(store: Store) {
    store.onChange((change) => this.#deliver(change));
  }

  get size(): number {
    return [...this.#everywhere.values(), ...this.#inNamespace.values()].reduce((sum, set) => sum + set.size, 0);
  }

  /** Starts the delivery. The returned function stops it. */
  subscribe(subscription: Subscription): () => void {
    const { index, key } = this.#place(subscription);
    const set = index.get(key) ?? new Set<Subscription>();
    index.set(key, set);
    set.add(subscription);
    return () => {
      set.delete(subscription);
      if (set.size === 0 && index.get(key) === set) index.delete(key);
    };
  }

  /** Ends all watches, or those of one collection. */
  closeAll(collection?: string): void {
    const sets = [...this.#everywhere.values(), ...this.#inNamespace.values()];
    for (const subscription of sets.flatMap((set) => [...set])) {
      if (collection === undefined || subscription.collection === collection) subscription.close();
    }
  }

  #place({ collection, namespace }: Subscription): { index: Map<string, Set<Subscription>>; key: string } {
    return namespace === ''
      ? { index: this.#everywhere, key: collection }
      : { index: this.#inNamespace, key: `${collection} ${namespace}` };
  }

  #deliver(change: Change): void {
    const { collection } = change;
    for (const subscription of this.#everywhere.get(collection) ?? []) subscription.deliver(change);
    if (this.#inNamespace.size === 0) return;
    const namespace = (change.after ?? change.before)?.namespace ?? '';
    for (const subscription of this.#inNamespace.get(`${collection} ${namespace}`) ?? []) subscription.deliver(change);
  }
}
