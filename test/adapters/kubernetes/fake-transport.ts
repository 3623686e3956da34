import type { Transport, TransportRequest, TransportResponse } from '../../../lib/adapters/kubernetes/transport.ts';

export interface FakeAnswer {
  /** 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, any other value as JSON. */
  readonly body?: unknown;
  /** The body in pieces; strings are sent as UTF-8. An error among them breaks the body off. */
  readonly chunks?: readonly (string | Uint8Array | Error)[];
}

/** The result of one request: a response, an error of the transport, or a function that decides. */
export type Scripted = FakeAnswer | Error | ((request: TransportRequest) => Promise<FakeAnswer>);

/** Plays a script with one step for each request, and keeps the requests. */
export class FakeTransport implements Transport {
  readonly requests: TransportRequest[] = [];
  private readonly script: Scripted[];

  constructor(...script: Scripted[]) {
    this.script = script;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    request.beforeSend?.();
    this.requests.push(request);
    request.signal?.throwIfAborted();
    const step = this.script.shift();
    if (step === undefined) throw new Error('the script has no step for this request');
    if (step instanceof Error) throw step;
    return toResponse(typeof step === 'function' ? await step(request) : step);
  }

  /** The body of a request, parsed. */
  sentJson(index = 0): unknown {
    return JSON.parse(this.requests[index]?.body ?? 'null');
  }
}

/** Never responds, like a half-open connection. Fails with the signal's reason when the signal aborts. */
export async function silence(request: TransportRequest): Promise<FakeAnswer> {
  return await new Promise((_, reject) => {
    request.signal?.addEventListener('abort', () => reject(request.signal?.reason), { once: true });
  });
}

/** An error in the form of Node and undici. */
export function failure(code: string, message = `broken by the test: ${code}`): Error {
  return Object.assign(new Error(message), { code });
}

function toResponse({ status = 200, headers = {}, body = '', chunks }: FakeAnswer): TransportResponse {
  const pieces = chunks ?? [typeof body === 'string' ? body : JSON.stringify(body)];
  async function* stream(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      if (piece instanceof Error) throw piece;
      yield typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
    }
  }
  return {
    status,
    headers,
    chunks: stream,
    async text() {
      const parts: Uint8Array[] = [];
      for await (const part of stream()) parts.push(part);
      return Buffer.concat(parts).toString('utf8');
    },
  };
}
