import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StrayErrors } from '../../ports/stray-errors.ts';

/** Node.js runs its listeners of uncaught errors in the asynchronous context that the error arose in. */
export class ProcessStrayErrors implements StrayErrors {
  readonly #runs = new AsyncLocalStorage<(error: unknown) => void>();

  async run<Result>(task: () => Promise<Result>, onStray: (error: unknown) => void): Promise<Result> {
    try {
      return await this.#runs.run(onStray, task);
    } finally {
      // Node.js tells of a rejected promise once the microtasks have ended, which a turn of the event loop waits for.
      await nextTurn();
    }
  }

  /**
   * To be called from a listener of `unhandledRejection` or `uncaughtException`.
   * @returns whether the error belongs to a run, which has it now.
   */
  claim(error: unknown): boolean {
    const onStray = this.#runs.getStore();
    onStray?.(error);
    return onStray !== undefined;
  }
}

/** The listeners are the process's own, and so is this. */
export const processStrayErrors = new ProcessStrayErrors();
