import type { QueueDeleter } from '../../ports/queue.ts';

interface Waiting {
  readonly handles: readonly string[];
  resolve(kept: string[]): void;
  reject(error: unknown): void;
}

/**
 * Deletes at once when no request is running, and otherwise together with everything that finished since. Under load
 * one request deletes many messages, and a single message does not wait.
 */
export class CoalescingDeleter implements QueueDeleter {
  readonly #queue: QueueDeleter;
  #waiting: Waiting[] = [];
  #busy = false;

  constructor(queue: QueueDeleter) {
    this.#queue = queue;
  }

  delete(receiptHandles: readonly string[]): Promise<string[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ handles: receiptHandles, resolve, reject });
      if (!this.#busy) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const kept = new Set(await this.#queue.delete(batch.flatMap(({ handles }) => handles)));
        for (const { handles, resolve } of batch) resolve(handles.filter((handle) => kept.has(handle)));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#busy = false;
  }
}
