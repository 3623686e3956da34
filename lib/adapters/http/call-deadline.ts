import type { Clock } from '../../ports/clock.ts';

/** Ends a call when the caller aborts it, or when its time limit is over. */
export class CallDeadline {
  readonly #clock: Clock;
  readonly #call = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #timer = new AbortController();
  #leftMs: number;
  #runsSinceMs = 0;
  #expired = false;

  constructor(clock: Clock, timeoutMs: number, caller: AbortSignal | undefined) {
    this.#clock = clock;
    this.#leftMs = timeoutMs;
    this.#caller = caller;
    if (caller?.aborted) this.#forward();
    else caller?.addEventListener('abort', this.#forward, { once: true });
    this.#run();
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  /** Whether the time limit ended the call, and not the caller. */
  get expired(): boolean {
    return this.#expired;
  }

  /**
   * Stops the time limit while the call waits for this process itself. The server has answered by then, and must not
   * count as a server without an answer.
   */
  async withoutTime<Result>(wait: Promise<Result>): Promise<Result> {
    this.#timer.abort(ENDED);
    this.#leftMs -= this.#clock.monotonic() - this.#runsSinceMs;
    const result = await wait;
    this.#timer = new AbortController();
    this.#run();
    return result;
  }

  /** Ends the call: clears the timer and the listener on the caller's signal. */
  end(): void {
    this.#caller?.removeEventListener('abort', this.#forward);
    this.#timer.abort(ENDED);
  }

  #run(): void {
    this.#runsSinceMs = this.#clock.monotonic();
    this.#clock.sleep(Math.max(0, this.#leftMs), this.#timer.signal).then(
      () => {
        this.#expired = true;
        this.#call.abort(EXPIRED);
      },
      () => undefined,
    );
  }

  readonly #forward = (): void => this.#call.abort(this.#caller?.reason);
}

/** Created once, because an AbortController without a reason creates an error with a stack trace each time. */
const EXPIRED = new Error('the time of the call is over');
const ENDED = new Error('the call is over');
