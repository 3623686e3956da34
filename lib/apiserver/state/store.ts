import { ensureObject, type JsonObject } from '../json.ts';
import type { TypeVersion } from './resource-type.ts';
import { SortedKeys } from './sorted-keys.ts';
import { StoredObject } from './stored-object.ts';

/** One write. A creation has no `before`, a deletion no `after`. */
export interface Change {
  readonly revision: number;
  readonly collection: string;
  readonly before: StoredObject | undefined;
  readonly after: StoredObject | undefined;
  /** For a deletion: the last state, with the revision of the deletion. */
  readonly gone?: StoredObject;
}

/** A collection as it was at one revision. */
export interface Snapshot {
  readonly revision: number;
  /** The keys that have the prefix and are not smaller than `from`, in order. */
  range(prefix: string, from?: string): string[];
  get(key: string): StoredObject | undefined;
}

/** Thrown when the history of a requested revision is gone. */
export class CompactedError extends Error {
  override readonly name = 'CompactedError';
}

interface Collection {
  readonly objects: Map<string, StoredObject>;
  readonly keys: SortedKeys;
}

/** Everything that a backup of etcd would contain. */
export interface StoreBackup {
  readonly revision: number;
  readonly objects: ReadonlyMap<string, readonly StoredObject[]>;
}

/**
 * All objects, with one revision counter as in etcd, and a limited history. The history is long enough to start watches
 * in the past, and to continue a list in the state of its first page.
 */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #historyLimit: number;
  readonly #listeners: ((change: Change) => void)[] = [];
  #history: Change[] = [];
  #revision = 0;
  #compacted = 0;
  /** What an earlier process stored. It is dropped by the first compaction after the restart. */
  #kept: { readonly revision: number; readonly lastRevisions: ReadonlyMap<string, number> } | undefined;

  /** @param historyLimit the number of writes that are remembered at least. */
  constructor(historyLimit: number) {
    this.#historyLimit = historyLimit;
  }

  get revision(): number {
    return this.#revision;
  }

  /** The history up to and including this revision is gone; only its result is known. */
  get compactedRevision(): number {
    return this.#compacted;
  }

  /** Calls the listener for each write, in the order of the revisions, before the write returns. */
  onChange(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  get(collection: string, key: string): StoredObject | undefined {
    return this.#collections.get(collection)?.objects.get(key);
  }

  collections(): string[] {
    return [...this.#collections.keys()];
  }

  /** The present objects with the key prefix, in key order. */
  list(collection: string, prefix = ''): StoredObject[] {
    const present = this.#collections.get(collection);
    if (present === undefined) return [];
    return present.keys
      .range(prefix)
      .map((key) => present.objects.get(key))
      .filter((object) => object !== undefined);
  }

  /**
   * Writes the object and sets its `metadata.resourceVersion` to the new revision. The caller must not use the object
   * after that.
   */
  put(collection: string, key: string, object: JsonObject, shapedBy: TypeVersion | undefined): StoredObject {
    this.#revision += 1;
    ensureObject(object, 'metadata').resourceVersion = String(this.#revision);
    const after = new StoredObject(key, this.#revision, object, shapedBy);
    const { objects, keys } = this.#open(collection);
    const before = objects.get(key);
    if (before === undefined) keys.add(key);
    objects.set(key, after);
    this.#record({ revision: this.#revision, collection, before, after });
    return after;
  }

  /**
   * Adds an object of another cluster unchanged. This is not a write: no version is assigned, and no listener is
   * called.
   */
  insert(collection: string, object: StoredObject): void {
    const { objects, keys } = this.#open(collection);
    if (!objects.has(object.key)) keys.add(object.key);
    objects.set(object.key, object);
  }

  /** Removes the object if it exists. Returns its last state with the revision of the removal. */
  remove(collection: string, key: string): StoredObject | undefined {
    const { objects, keys } = this.#open(collection);
    const before = objects.get(key);
    if (before === undefined) return undefined;
    this.#revision += 1;
    objects.delete(key);
    keys.delete(key);
    const gone = before.at(this.#revision);
    this.#record({ revision: this.#revision, collection, before, after: undefined, gone });
    return gone;
  }

  /**
   * The writes after the revision, oldest first.
   * @throws CompactedError when some of these writes are not remembered: writes of any collection or, after a restart,
   * of this collection.
   */
  changesSince(revision: number, collection: string): readonly Change[] {
    if (revision < this.#compacted && !this.#isUnchangedSince(revision, collection))
      throw new CompactedError(`revision ${revision} is compacted`);
    return this.#history.slice(this.#indexAfter(revision));
  }

  /** The collection in its state of the revision. @throws CompactedError when that state is gone. */
  at(collection: string, revision: number): Snapshot {
    const { objects, keys } = this.#open(collection);
    const undone = new Map<string, StoredObject | undefined>();
    if (revision < this.#revision) {
      for (const change of this.changesSince(revision, collection)) {
        if (change.collection !== collection) continue;
        const key = (change.before ?? change.after)?.key ?? '';
        if (!undone.has(key)) undone.set(key, change.before);
      }
    }
    return {
      revision,
      get: (key) => (undone.has(key) ? undone.get(key) : objects.get(key)),
      range: (prefix, from = '') => {
        const present = keys.range(prefix, from).filter((key) => !undone.has(key) || undone.get(key) !== undefined);
        const gone = [...undone.keys()].filter(
          (key) => !objects.has(key) && undone.get(key) !== undefined && key.startsWith(prefix) && key >= from,
        );
        return gone.length === 0 ? present : [...present, ...gone].sort((left, right) => (left < right ? -1 : 1));
      },
    };
  }

  /** Drops the history up to the present, like a compaction of etcd. */
  compact(): void {
    this.#history = [];
    this.#compacted = this.#revision;
    this.#kept = undefined;
  }

  backup(): StoreBackup {
    const objects = new Map([...this.#collections].map(([name, { objects }]) => [name, [...objects.values()]]));
    return { revision: this.#revision, objects };
  }

  /** Restores the backup, with its revision. Listeners are not called. */
  restore(backup: StoreBackup): void {
    this.#collections.clear();
    for (const [name, objects] of backup.objects) {
      const collection = this.#open(name);
      for (const object of objects) {
        collection.objects.set(object.key, object);
        collection.keys.add(object.key);
      }
    }
    this.#revision = backup.revision;
    this.compact();
  }

  /**
   * Starts with the objects that another process left, without their history. A version from before the restart stays
   * valid for a collection that has not changed since.
   * @param lastRevisions the revision of the last write to each collection; deletions count.
   */
  resume(objects: Iterable<readonly [string, StoredObject]>, lastRevisions: ReadonlyMap<string, number>): void {
    const byCollection = new Map([...Map.groupBy(objects, ([collection]) => collection)]);
    const collections = [...byCollection].map(
      ([name, entries]) => [name, entries.map(([, object]) => object)] as const,
    );
    this.restore({ revision: Math.max(0, ...lastRevisions.values()), objects: new Map(collections) });
    this.#kept = { revision: this.#revision, lastRevisions };
  }

  #isUnchangedSince(revision: number, collection: string): boolean {
    if (this.#kept?.revision !== this.#compacted) return false;
    return revision >= (this.#kept.lastRevisions.get(collection) ?? 0);
  }

  #open(name: string): Collection {
    const existing = this.#collections.get(name);
    if (existing !== undefined) return existing;
    const made = { objects: new Map<string, StoredObject>(), keys: new SortedKeys() };
    this.#collections.set(name, made);
    return made;
  }

  #record(change: Change): void {
    this.#history.push(change);
    // Dropping a part of the history at a time keeps the cost of a write constant.
    if (this.#history.length > 1.25 * this.#historyLimit) {
      this.#history = this.#history.slice(-this.#historyLimit);
      this.#compacted = (this.#history[0]?.revision ?? 1) - 1;
    }
    for (const listener of this.#listeners) listener(change);
  }

  #indexAfter(revision: number): number {
    // Every revision in the history has one entry, so the position is a difference of revisions.
    return Math.max(0, Math.min(this.#history.length, revision - this.#compacted));
  }
}
