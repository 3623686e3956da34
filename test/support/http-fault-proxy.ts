import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { Agent, request as send } from 'undici';

export interface ProxiedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isWatch: boolean;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What happens to a request that is not simply forwarded. */
export type Interference =
  /** The proxy answers; the server never sees the request. */
  | {
      readonly type: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** Forwarded with another body, and the answer gets another body. */
  | {
      readonly type: 'rewrite';
      readonly request: (body: string) => string;
      readonly answer: (body: string) => string;
    }
  /**
   * Forwarded. Each line of the answer is passed to the function, and its result is sent on; undefined sends nothing.
   */
  | { readonly type: 'lines'; readonly rewrite: (line: string) => string | undefined }
  /** Forwarded. The body of the answer arrives in pieces of this many bytes. */
  | { readonly type: 'pieces'; readonly bytes: number }
  /** Forwarded. The connection is reset in the middle of the next line of the answer. */
  | { readonly type: 'resetInLine' }
  /** Forwarded, but answered only after the promise is fulfilled. */
  | { readonly type: 'late'; readonly until: Promise<unknown> };

export interface Rule {
  readonly matches: (request: ProxiedRequest) => boolean;
  readonly interference: Interference | ((request: ProxiedRequest) => Interference);
  /** How many requests the rule affects; all by default. */
  readonly times?: number;
}

export interface Upstream {
  /** http or https. */
  readonly url: string;
  readonly caPem?: string;
  /** The token that replaces the one in every request. */
  readonly token?: string;
}

export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** Called for every request that is forwarded to the server, until its answer is passed on. */
export type OnForward = (request: ProxiedRequest) => ForwardedRequest;

export interface ForwardedRequest {
  /** Awaited before the end of the answer is passed on. */
  readonly ending: (signal: AbortSignal) => Promise<void>;
  /** Called at the end of the request, with any result. */
  readonly over: () => void;
}

/**
 * An HTTP proxy on 127.0.0.1 that ends TLS itself when it has a certificate. So a test may answer in place of the
 * server and change its answers, down to the byte. Without rules it forwards everything unchanged.
 */
export class HttpFaultProxy implements AsyncDisposable {
  readonly port: number;
  /** How often a rule affected a request. */
  interfered = 0;
  private readonly server: Server;
  private readonly upstream: Upstream;
  private readonly agent: Agent;
  private readonly onForward: OnForward | undefined;
  private readonly rules = new Set<{ rule: Rule; left: number }>();

  private constructor(server: Server, upstream: Upstream, onForward: OnForward | undefined) {
    this.server = server;
    this.upstream = upstream;
    this.onForward = onForward;
    this.agent = new Agent({
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(upstream.caPem === undefined ? {} : { connect: { ca: upstream.caPem } }),
    });
    this.port = (server.address() as AddressInfo).port;
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      this.handle(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async before(upstream: Upstream, identity?: Identity, onForward?: OnForward): Promise<HttpFaultProxy> {
    const options = { keepAliveTimeout: 60_000 };
    const server =
      identity === undefined
        ? (createHttpServer(options) as unknown as Server)
        : createHttpsServer({ ...options, cert: identity.certificate, key: identity.key });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new HttpFaultProxy(server, upstream, onForward);
  }

  /** Later rules come first. @returns a function that removes the rule. */
  interfere(rule: Rule): () => void {
    const entry = { rule, left: rule.times ?? Number.POSITIVE_INFINITY };
    this.rules.add(entry);
    return () => this.rules.delete(entry);
  }

  /** Removes all rules. A request that a rule already affects continues. */
  clear(): void {
    this.rules.clear();
  }

  /** Shows another certificate from now on, on new connections. */
  present({ certificate, key }: Identity): void {
    this.server.setSecureContext({ cert: certificate, key });
  }

  /** Ends every connection. */
  disconnect(): void {
    this.server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
    await this.agent.destroy();
  }

  private async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = proxiedRequest(incoming);
    const interference = this.interferenceFor(request);
    if (interference?.type === 'answer') {
      const { status, headers = {}, body } = interference;
      incoming.resume();
      outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
      return;
    }
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    const body = await bodyOf(incoming, interference?.type === 'rewrite' ? interference.request : undefined);
    // An answer that is late on purpose is not waited for.
    const forwarded = interference?.type === 'late' ? undefined : this.onForward?.(request);
    // The callback of a write to a broken connection may never be called.
    outgoing.once('close', () => forwarded?.over());
    try {
      const answer = await this.forward(incoming, body, gone.signal);
      if (interference?.type === 'late') await Promise.race([interference.until, once(gone.signal, 'abort')]);
      outgoing.writeHead(answer.statusCode, kept(answer.headers));
      outgoing.flushHeaders();
      await deliver(answer.body, outgoing, interference);
      await forwarded?.ending(gone.signal);
      outgoing.end();
    } finally {
      forwarded?.over();
    }
  }

  private async forward(
    { headers, method, url = '/' }: IncomingMessage,
    body: string | undefined,
    signal: AbortSignal,
  ) {
    const { host: _, ...others } = headers;
    const { token } = this.upstream;
    return await send(this.upstream.url + url, {
      method: method as 'GET',
      headers: token === undefined ? kept(others) : { ...kept(others), authorization: `Bearer ${token}` },
      dispatcher: this.agent,
      signal,
      ...(body !== undefined && { body }),
    });
  }

  private interferenceFor(request: ProxiedRequest): Interference | undefined {
    for (const entry of [...this.rules].reverse()) {
      if (entry.left === 0 || !entry.rule.matches(request)) continue;
      entry.left -= 1;
      this.interfered += 1;
      const { interference } = entry.rule;
      return typeof interference === 'function' ? interference(request) : interference;
    }
    return undefined;
  }
}

async function bodyOf(incoming: IncomingMessage, rewrite = (body: string) => body): Promise<string | undefined> {
  if (incoming.method === 'GET') return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return rewrite(Buffer.concat(chunks).toString('utf8'));
}

function proxiedRequest({ method = '', url = '/', headers }: IncomingMessage): ProxiedRequest {
  const { pathname, searchParams } = new URL(url, 'http://proxy');
  const watch = searchParams.get('watch');
  return {
    method,
    path: pathname,
    query: searchParams,
    isWatch: watch === 'true' || watch === '1',
    headers,
  };
}

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'upgrade', 'te']);

function kept(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined && !HOP_BY_HOP.has(entry[0]),
    ),
  );
}

async function deliver(body: Readable, outgoing: ServerResponse, interference?: Interference): Promise<void> {
  switch (interference?.type) {
    case 'lines':
      for await (const line of linesOf(body)) {
        const rewritten = interference.rewrite(line);
        if (rewritten !== undefined) await write(outgoing, Buffer.from(`${rewritten}\n`));
      }
      break;
    case 'rewrite': {
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk as Buffer);
      await write(outgoing, Buffer.from(interference.answer(Buffer.concat(chunks).toString('utf8'))));
      break;
    }
    case 'pieces':
      for await (const chunk of body) {
        const bytes = chunk as Buffer;
        for (let from = 0; from < bytes.length; from += interference.bytes) {
          await write(outgoing, bytes.subarray(from, from + interference.bytes));
        }
      }
      break;
    case 'resetInLine':
      for await (const line of linesOf(body)) {
        await write(outgoing, Buffer.from(line.slice(0, line.length / 2)));
        outgoing.socket?.resetAndDestroy();
        return;
      }
      break;
    default:
      for await (const chunk of body) await write(outgoing, chunk as Buffer);
  }
}

async function* linesOf(body: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk as Buffer, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Resolves when the bytes were handed to the system, so that pieces stay pieces. */
function write(outgoing: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
