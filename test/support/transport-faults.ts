import type { Transport, TransportRequest, TransportResponse } from '../../lib/adapters/kubernetes/transport.ts';

/** The fields of a request with which faults are matched. */
export interface SentRequest {
  readonly method: TransportRequest['method'];
  /** Without its query string. */
  readonly path: string;
  readonly userAgent: string;
}

/** What goes wrong with a request to any server. */
export type TransportFault =
  /** It gets this answer, and the server does not process it. */
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** The server processes it, and the answer's body ends after this many characters. */
  | { readonly cutAfter: number }
  /** Nothing happens, until the client gives up. */
  | { readonly hang: true };

export interface TransportInjection {
  readonly match: (request: SentRequest) => boolean;
  readonly fault: TransportFault;
}

/** A transport before an API server that records the requests and injects the faults of a test. */
export class TransportFaults implements Transport {
  readonly sent: SentRequest[] = [];
  readonly #inner: Transport;
  readonly #running = new Set<{ injection: TransportInjection; hits: number }>();

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  /** The user agent's requests that may have changed something, as `PATCH /path`. */
  writes(userAgent: string): string[] {
    return this.sent
      .filter((request) => request.method !== 'GET' && request.userAgent === userAgent)
      .map(({ method, path }) => `${method} ${path}`);
  }

  inject(injection: TransportInjection): { readonly hits: number; remove(): void } {
    const running = { injection, hits: 0 };
    this.#running.add(running);
    return {
      get hits() {
        return running.hits;
      },
      remove: () => this.#running.delete(running),
    };
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, headers, signal } = request;
    const sent = { method, path: path.split('?')[0] ?? '', userAgent: headers['user-agent'] ?? '' };
    this.sent.push(sent);
    const fault = this.#take(sent);
    if (fault === undefined) return await this.#inner.send(request);
    if ('hang' in fault) return await untilAborted(signal);
    if ('status' in fault) return answer(fault.status, fault.body ?? statusBody(fault.status), fault.headers);
    const response = await this.#inner.send(request);
    return answer(response.status, (await response.text()).slice(0, fault.cutAfter), response.headers);
  }

  #take(request: SentRequest): TransportFault | undefined {
    for (const running of this.#running) {
      if (!running.injection.match(request)) continue;
      running.hits += 1;
      return running.injection.fault;
    }
    return undefined;
  }
}

function statusBody(code: number): string {
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'no', code });
}

function answer(
  status: number,
  body: string,
  headers: TransportResponse['headers'] = { 'content-type': 'application/json' },
): TransportResponse {
  return {
    status,
    headers,
    text: async () => body,
    async *chunks() {
      yield new TextEncoder().encode(body);
    },
  };
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
