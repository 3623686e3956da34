/**
 * A signal that aborts with the first of others, as long as it is used. Unlike AbortSignal.any it leaves no listener on
 * long-lived signals after it is disposed of.
 */
export class LinkedAbort implements Disposable {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #unlink: (() => void)[] = [];

  constructor(...others: readonly AbortSignal[]) {
    this.signal = this.#controller.signal;
    for (const other of others) {
      const follow = () => this.abort(other.reason);
      if (other.aborted) follow();
      other.addEventListener('abort', follow, { once: true });
      this.#unlink.push(() => other.removeEventListener('abort', follow));
    }
  }

  abort(reason: unknown = ENDED): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    for (const unlink of this.#unlink) unlink();
  }
}

/** Created once: an AbortController without a reason creates an error with a stack trace each time. */
const ENDED = new Error('the work is over');
