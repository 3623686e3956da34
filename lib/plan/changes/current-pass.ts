import { AsyncLocalStorage } from 'node:async_hooks';
import type { Target } from '../../core/target.ts';

/** The object whose pass runs now. Its writes, external calls and connections are reported with it. */
export class CurrentPass {
  readonly #target = new AsyncLocalStorage<Target>();

  get target(): Target | undefined {
    return this.#target.getStore();
  }

  run<Result>(target: Target, task: () => Promise<Result>): Promise<Result> {
    return this.#target.run(target, task);
  }
}
