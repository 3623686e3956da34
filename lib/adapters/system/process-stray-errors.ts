import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StrayErrors } from '../../ports/stray-errors.ts';

/** Node.js calls the listeners of uncaught errors in the asynchronous context in which the error was thrown. */
export class ProcessStrayErrors implements StrayErrors {
  readonly #runs = new AsyncLocalStorage<(error: unknown) => void>();

  async run<Result>(task: () => Promise<Result>, onStray: (error: unknown) => void): Promise<Result> {
    try {
      return await this.#runs.run(onStray, task);
    } finally {
      // Node.js reports a rejected promise after the microtasks, so wait for one turn of the event loop.
      await nextTurn();
    }
  }

  /**
   * Call this from a listener of `unhandledRejection` or `uncaughtException`.
   * @returns whether the error belongs to a run; the run then has it.
   */
  claim(error: unknown): boolean {
    const onStray = this.#runs.getStore();
    onStray?.(error);
    return onStray !== undefined;
  }
}

/** One for each process, because the listeners belong to the process. */
export const processStrayErrors = new ProcessStrayErrors();
