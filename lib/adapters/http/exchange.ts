import type { Dispatcher } from 'undici';

/** An answer whose head has arrived. Its body is read once, while it arrives. */
export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Leaving the loop early closes the connection. */
  readonly chunks: AsyncIterableIterator<Uint8Array>;
}

export type ExchangeRequest = Pick<Dispatcher.DispatchOptions, 'path' | 'method' | 'headers' | 'body'> & {
  readonly origin: string;
};

/** How much of a body is read from the socket before the caller asks for it. */
const HIGH_WATER_BYTES = 65_536;

/**
 * Sends a request, and resolves when the head of its answer has arrived. It uses undici's own handler without a stream,
 * because for small answers a stream costs more than the request.
 * @param beforeSend called when a connection is available, before the first byte is sent. If it throws, nothing is
 * sent.
 * @throws the signal's reason, at any time, or the error of undici; the chunks do so too.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  signal: AbortSignal | undefined,
  beforeSend?: () => void,
): Promise<ExchangeAnswer> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  const { promise, resolve, reject } = Promise.withResolvers<ExchangeAnswer>();
  dispatcher.dispatch(request, new Exchange(resolve, reject, signal, beforeSend));
  return promise;
}

class Exchange implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array> {
  readonly #resolve: (answer: ExchangeAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #beforeSend: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #end: 'whole' | { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(
    resolve: (answer: ExchangeAnswer) => void,
    reject: (error: unknown) => void,
    signal: AbortSignal | undefined,
    beforeSend: (() => void) | undefined,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    this.#beforeSend = beforeSend;
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#end !== undefined) {
      controller.abort(ABORTED);
      return;
    }
    try {
      this.#beforeSend?.();
    } catch (error) {
      this.#break(error);
    }
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // An informational head (1xx) comes before the final one.
    if (status < 200) return;
    const texts: Record<string, string | undefined> = {};
    for (const name in headers) {
      const value = headers[name];
      texts[name] = Array.isArray(value) ? value.join(', ') : value;
    }
    this.#resolve({ status, headers: texts, chunks: this });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#end !== undefined) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    if (this.#bytes > HIGH_WATER_BYTES) controller.pause();
    this.#wake();
  }

  onResponseEnd(): void {
    this.#finish('whole');
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#finish({ error });
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#bytes -= chunk.byteLength;
        if (this.#controller?.paused === true && this.#bytes <= HIGH_WATER_BYTES) this.#controller.resume();
        return { done: false, value: chunk };
      }
      if (this.#end === 'whole') return { done: true, value: undefined };
      if (this.#end !== undefined) throw this.#end.error;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#break(ABORTED);
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #abort = (): void => this.#break(this.#signal?.reason);

  #break(error: unknown): void {
    if (this.#end !== undefined) return;
    this.#chunks = [];
    this.#finish({ error });
    this.#controller?.abort(ABORTED);
  }

  #finish(end: 'whole' | { readonly error: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#signal?.removeEventListener('abort', this.#abort);
    // No effect after the head has arrived.
    if (end !== 'whole') this.#reject(end.error);
    this.#wake();
  }
}

const ABORTED = new Error('the exchange was ended by its caller');
