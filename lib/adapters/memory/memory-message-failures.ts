import type { MessageFailures } from '../../ports/state-store.ts';
import type { OnRequest } from '../request-observer.ts';
import { FAILURES_KEPT_MS } from '../state-keys.ts';

interface Failures {
  readonly count: number;
  readonly keepUntilMs: number;
}

export class MemoryMessageFailures implements MessageFailures {
  readonly #onRequest: OnRequest;
  /** In the order of the last failure; the latest one is at the end. */
  readonly #failures = new Map<string, Failures>();

  constructor(onRequest: OnRequest) {
    this.#onRequest = onRequest;
  }

  async countFailure(message: string, nowMs: number): Promise<number> {
    this.#onRequest('dynamodb', 'UpdateItem', {});
    for (const [expired, { keepUntilMs }] of this.#failures) {
      if (keepUntilMs >= nowMs) break;
      this.#failures.delete(expired);
    }
    const count = (this.#failures.get(message)?.count ?? 0) + 1;
    this.#failures.delete(message);
    this.#failures.set(message, { count, keepUntilMs: nowMs + FAILURES_KEPT_MS });
    return count;
  }
}
