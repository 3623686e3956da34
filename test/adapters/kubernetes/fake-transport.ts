import type { Transport, TransportRequest, TransportResponse } from '../../../lib/adapters/kubernetes/transport.ts';

export interface FakeAnswer {
  /** 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text as it is, anything else as JSON. */
  readonly body?: unknown;
  /** The body in pieces, texts as UTF-8. An error in between breaks it off. */
  readonly chunks?: readonly (string | Uint8Array | Error)[];
}

/** What happens to one request: an answer, a failure of the transport, or code that decides. */
export type Scripted = FakeAnswer | Error | ((request: TransportRequest) => Promise<FakeAnswer>);

/** Plays a script, one step a request, and keeps the requests. */
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

/** Never answers, and fails with the signal's reason when it aborts: a half-open connection. */
export async function silence(request: TransportRequest): Promise<FakeAnswer> {
  return await new Promise((_, reject) => {
    request.signal?.addEventListener('abort', () => reject(request.signal?.reason), { once: true });
  });
}

/** An error as Node and undici make them. */
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
