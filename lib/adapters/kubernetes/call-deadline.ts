import type { Clock } from '../../ports/clock.ts';

/** Ends a call when the caller wishes, or when its time is over. */
export class CallDeadline {
  readonly #call = new AbortController();
  readonly #timer = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #expired = false;

  constructor(clock: Clock, timeoutMs: number, caller: AbortSignal | undefined) {
    this.#caller = caller;
    if (caller?.aborted) this.#forward();
    else caller?.addEventListener('abort', this.#forward, { once: true });
    clock.sleep(timeoutMs, this.#timer.signal).then(
      () => {
        this.#expired = true;
        this.#call.abort(EXPIRED);
      },
      () => undefined,
    );
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  /** The time is over, as opposed to the caller having aborted. */
  get expired(): boolean {
    return this.#expired;
  }

  /** The call is over: lets go of the timer and of the caller's signal. */
  end(): void {
    this.#caller?.removeEventListener('abort', this.#forward);
    this.#timer.abort(ENDED);
  }

  readonly #forward = (): void => this.#call.abort(this.#caller?.reason);
}

/** Made once: an AbortController without a reason makes an error with its stack each time. */
const EXPIRED = new Error('the time of the call is over');
const ENDED = new Error('the call is over');
