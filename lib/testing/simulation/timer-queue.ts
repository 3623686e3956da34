/** An entry with a time at which it is due. */
export interface Timed {
  readonly dueMs: number;
  /** The order of entries with equal times. */
  readonly order: number;
  /** Cancelled. The entry stays in the queue until its time, and is then dropped. */
  gone: boolean;
}

/** Returns the earliest entry first. A binary heap. */
export class TimerQueue<Item extends Timed> {
  readonly #heap: Item[] = [];

  push(item: Item): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(item);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, item)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = item;
  }

  /** The earliest entry that was not cancelled. */
  peek(): Item | undefined {
    while (this.#heap[0]?.gone === true) this.#shift();
    return this.#heap[0];
  }

  /** Removes and returns the earliest entry if it is due. */
  takeDue(nowMs: number): Item | undefined {
    const first = this.peek();
    if (first === undefined || first.dueMs > nowMs) return undefined;
    this.#shift();
    return first;
  }

  #shift(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      const left = heap[below];
      const right = heap[below + 1];
      if (left === undefined) break;
      const least = right !== undefined && isBefore(right, left) ? right : left;
      if (least === right) below += 1;
      if (isBefore(last, least)) break;
      heap[index] = least;
      index = below;
    }
    heap[index] = last;
  }
}

function isBefore(left: Timed, right: Timed): boolean {
  return left.dueMs < right.dueMs || (left.dueMs === right.dueMs && left.order < right.order);
}
