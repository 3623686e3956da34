import { type JsonObject, objectsAt, stringAt } from '../json.ts';
import type { Change, Store } from '../state/store.ts';
import type { StoredObject } from '../state/stored-object.ts';

/** The place of an object in the store. */
export interface Place {
  readonly collection: string;
  readonly key: string;
}

/** The objects that name a UID in their owner references. */
export class Dependents {
  readonly #byOwner = new Map<string, Map<string, Place>>();

  /** The objects that name the UID, in the order in which their references appeared. */
  of(uid: string): Place[] {
    return [...(this.#byOwner.get(uid)?.values() ?? [])];
  }

  follow({ collection, before, after }: Change): void {
    if (before !== undefined) {
      for (const uid of ownerUids(before)) {
        if (after !== undefined && ownerUids(after).includes(uid)) continue;
        const places = this.#byOwner.get(uid);
        places?.delete(placeId(collection, before.key));
        if (places?.size === 0) this.#byOwner.delete(uid);
      }
    }
    if (after !== undefined) this.#add(collection, after);
  }

  /** Starts again from the objects in the store. */
  reload(store: Store): void {
    this.#byOwner.clear();
    for (const collection of store.collections()) {
      for (const object of store.list(collection)) this.#add(collection, object);
    }
  }

  #add(collection: string, object: StoredObject): void {
    for (const uid of ownerUids(object)) {
      const places = this.#byOwner.get(uid) ?? new Map<string, Place>();
      this.#byOwner.set(uid, places);
      places.set(placeId(collection, object.key), { collection, key: object.key });
    }
  }
}

export function placeId(collection: string, key: string): string {
  return `${collection} ${key}`;
}

export function ownerReferences(object: StoredObject): readonly JsonObject[] {
  return object.metadata.ownerReferences === undefined ? [] : objectsAt(object.metadata, 'ownerReferences');
}

export function ownerUids(object: StoredObject): string[] {
  return ownerReferences(object).map((reference) => stringAt(reference, 'uid'));
}
