import type { Store } from '../state/store.ts';
import type { StoredObject } from '../state/stored-object.ts';

/** The objects of a collection that a controller must check, each once. */
export class ObjectQueue {
  readonly #store: Store;
  readonly #collection: string;
  readonly #keys = new Set<string>();

  constructor(store: Store, collection: string) {
    this.#store = store;
    this.#collection = collection;
    store.onChange((change) => {
      const key = (change.after ?? change.before)?.key;
      if (change.collection === collection && key !== undefined) this.#keys.add(key);
    });
  }

  get empty(): boolean {
    return this.#keys.size === 0;
  }

  add(key: string): void {
    this.#keys.add(key);
  }

  /** Adds all objects. */
  addAll(): void {
    for (const { key } of this.#store.list(this.#collection)) this.#keys.add(key);
  }

  /** Passes the queued objects to the function until the queue is empty. Objects that are gone are skipped. */
  drain(examine: (object: StoredObject) => void): void {
    for (const key of this.#keys) {
      this.#keys.delete(key);
      const object = this.#store.get(this.#collection, key);
      if (object !== undefined) examine(object);
    }
  }
}
