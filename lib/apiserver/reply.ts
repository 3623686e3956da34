import type { TransportResponse } from '../adapters/kubernetes/transport.ts';

/** The answer of a handler: a whole text, or a stream. */
export type Reply = TextReply | StreamReply;

export interface TextReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface StreamReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: BodyStream;
}

export function jsonReply(status: number, text: string, headers: Readonly<Record<string, string>> = {}): TextReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, text };
}

/** The plain text that a real server sends for paths that it does not serve. */
export function pageNotFound(): TextReply {
  return { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, text: '404 page not found\n' };
}

const encoder = new TextEncoder();

/**
 * A body that is written over time. Text that is written before the reader asks for it waits, and is delivered as one
 * chunk.
 */
export class BodyStream implements AsyncIterable<Uint8Array> {
  /** When more characters than this wait, the reader counts as gone and the stream is closed, as on the real server. */
  static readonly backlogLimit = 64 * 1024 * 1024;

  #waiting: string[] = [];
  #waitingSize = 0;
  #ended = false;
  #failure: unknown;
  #wake: (() => void) | undefined;
  readonly #onClose: (() => void)[] = [];

  get ended(): boolean {
    return this.#ended;
  }

  /** Calls back once, when the stream has ended for any reason. */
  onClose(callback: () => void): void {
    if (this.#ended) callback();
    else this.#onClose.push(callback);
  }

  write(text: string): void {
    if (this.#ended) return;
    this.#waiting.push(text);
    this.#waitingSize += text.length;
    if (this.#waitingSize > BodyStream.backlogLimit) this.end();
    else this.#wake?.();
  }

  /** Ends the body normally, after the written text. */
  end(): void {
    this.#close();
  }

  /** Stops the body: the reader gets the error after the written text. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#failure = error;
    this.#close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        if (this.#waiting.length > 0) {
          const text = this.#waiting.length === 1 ? (this.#waiting[0] ?? '') : this.#waiting.join('');
          this.#waiting = [];
          this.#waitingSize = 0;
          yield encoder.encode(text);
        } else if (this.#ended) {
          if (this.#failure !== undefined) throw this.#failure;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          this.#wake = undefined;
        }
      }
    } finally {
      this.#close();
    }
  }

  #close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#wake?.();
    for (const callback of this.#onClose.splice(0)) callback();
  }
}

/** The reply in the form that `send` returns. */
export function toTransportResponse(reply: Reply): TransportResponse {
  if ('text' in reply) {
    const { status, headers, text } = reply;
    return {
      status,
      headers,
      text: async () => text,
      chunks: async function* () {
        yield encoder.encode(text);
      },
    };
  }
  const { status, headers, stream } = reply;
  return {
    status,
    headers,
    text: async () => {
      const decoder = new TextDecoder();
      let text = '';
      for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
      return text + decoder.decode();
    },
    chunks: () => stream,
  };
}
