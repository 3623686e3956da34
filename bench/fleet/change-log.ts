/** One change of an object that a watch shows. */
export interface Change {
  readonly version: number;
  /** The place of the object in its list. */
  readonly index: number;
  readonly atMs: number;
}

/** How long etcd keeps old revisions by default: the watch of an older version is answered with 410. */
const KEPT_MS = 300_000;

/** The changes of one kind in the last minutes, in the order of their versions. */
export class ChangeLog {
  #changes: Change[] = [];
  /** The number of changes that were dropped. */
  #dropped = 0;
  #droppedVersion = 0;

  append(change: Change): void {
    this.#changes.push(change);
    const old = this.#changes.findIndex(({ atMs }) => atMs > change.atMs - KEPT_MS);
    // In large steps, because each of them moves the others.
    if (old > this.#changes.length / 2) {
      this.#droppedVersion = this.#changes[old - 1]?.version ?? this.#droppedVersion;
      this.#changes = this.#changes.slice(old);
      this.#dropped += old;
    }
  }

  /** Where a watch begins that has seen this version; undefined if changes after it were dropped. */
  positionAfter(version: number): number | undefined {
    if (version < this.#droppedVersion) return undefined;
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.version ?? Number.POSITIVE_INFINITY) > version) high = middle;
      else low = middle + 1;
    }
    return this.#dropped + low;
  }

  /** The change at a position; undefined at the end. @throws Error for a change that was dropped. */
  at(position: number): Change | undefined {
    if (position < this.#dropped) throw new Error('a watch fell behind the kept changes');
    return this.#changes[position - this.#dropped];
  }
}
