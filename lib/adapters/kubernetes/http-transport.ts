import { type Dispatcher, Pool } from 'undici';
import type { ClusterConnection } from './connection/cluster-connection.ts';
import { guardedLookup } from './connection/guarded-lookup.ts';
import type { TokenSource } from './credentials/token-source.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { isDeadConnection } from './transport-failure.ts';

export interface HttpTransportOptions {
  readonly connection: ClusterConnection;
  /** Requests under way at once, each on a kept-alive connection of its own; more of them queue. 16 by default. */
  readonly connections?: number;
}

const DEFAULT_CONNECTIONS = 16;
/** The API server itself drops an idle connection after 90 s (Go's default, which it keeps). */
const KEEP_ALIVE_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5_000;
const TCP_PROBE_AFTER_MS = 30_000;

/**
 * HTTP/1.1 over kept-alive connections: one pool for requests, another for watches, which hold theirs for minutes.
 * Redirects are not followed and proxy variables of the environment not read. Time-outs are the caller's, by its signal.
 *
 * A 401 makes the token source fetch anew, and the request is repeated once if that brought another token: a request that
 * was refused so did nothing.
 */
export class HttpTransport implements Transport {
  readonly #token: TokenSource | undefined;
  readonly #pathPrefix: string;
  readonly #requests: PoolLane;
  readonly #watches: PoolLane;

  constructor({ connection, connections = DEFAULT_CONNECTIONS }: HttpTransportOptions) {
    const url = new URL(connection.server);
    this.#token = connection.token;
    this.#pathPrefix = url.pathname.replace(/(?<!\/)\/+$/, '');
    const shared: Pool.Options = {
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connectOptions(connection),
    };
    this.#requests = new PoolLane(url.origin, { ...shared, connections });
    this.#watches = new PoolLane(url.origin, { ...shared, connections: null });
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const source = this.#token;
    if (source === undefined) return toResponse(await this.#exchange(request, undefined));
    const token = await untilAborted(source.current(), request.signal);
    const answer = await this.#exchange(request, token);
    if (answer.statusCode !== 401) return toResponse(answer);
    source.refused(token);
    const renewed = await this.#renewed(source, answer, request.signal);
    if (renewed === token) return toResponse(answer);
    await answer.body.dump();
    return toResponse(await this.#exchange(request, renewed));
  }

  /** Breaks off whatever is under way, and closes all connections. */
  async close(): Promise<void> {
    await Promise.all([this.#requests.close(), this.#watches.close()]);
  }

  async #renewed(
    source: TokenSource,
    answer: Dispatcher.ResponseData,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    try {
      return await untilAborted(source.current(), signal);
    } catch (error) {
      await answer.body.dump();
      throw error;
    }
  }

  #exchange(request: TransportRequest, token: string | undefined): Promise<Dispatcher.ResponseData> {
    const lane = isWatch(request) ? this.#watches : this.#requests;
    return lane.request({
      method: request.method,
      path: this.#pathPrefix + request.path,
      headers: token === undefined ? request.headers : { ...request.headers, authorization: `Bearer ${token}` },
      body: request.body ?? null,
      signal: request.signal ?? null,
    });
  }
}

/**
 * A pool that is given up for a new one as soon as one of its connections proves dead: what killed that one while it was
 * idle has likely killed the others, and a repeated request must not land on the next of them.
 */
class PoolLane {
  readonly #origin: string;
  readonly #options: Pool.Options;
  #pool: Pool;
  readonly #retired = new Set<Pool>();

  constructor(origin: string, options: Pool.Options) {
    this.#origin = origin;
    this.#options = options;
    this.#pool = new Pool(origin, options);
  }

  async request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    const pool = this.#pool;
    try {
      return await pool.request(options);
    } catch (error) {
      if (isDeadConnection(error) && pool === this.#pool && !pool.destroyed) this.#replace(pool);
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool, ...this.#retired].map((pool) => pool.destroy()));
  }

  /** What is under way on the old pool goes on to its end. */
  #replace(pool: Pool): void {
    this.#pool = new Pool(this.#origin, this.#options);
    this.#retired.add(pool);
    const forget = () => this.#retired.delete(pool);
    pool.close().then(forget, forget);
  }
}

function connectOptions(connection: ClusterConnection): NonNullable<Pool.Options['connect']> {
  const { certificateAuthority, clientCertificate, tlsServerName } = connection;
  return {
    timeout: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelay: TCP_PROBE_AFTER_MS,
    rejectUnauthorized: connection.insecureSkipTlsVerify !== true,
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
    ...(clientCertificate === undefined ? {} : { cert: clientCertificate.certificate, key: clientCertificate.key }),
    ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
    ...(connection.refuseLocalAddresses === true ? { lookup: guardedLookup() } : {}),
  };
}

function isWatch({ method, path }: TransportRequest): boolean {
  return method === 'GET' && /[?&]watch=(?:true|1)(?:&|$)/.test(path);
}

function toResponse({ statusCode, headers, body }: Dispatcher.ResponseData): TransportResponse {
  const texts: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) texts[name] = Array.isArray(value) ? value.join(', ') : value;
  return { status: statusCode, headers: texts, text: () => body.text(), chunks: () => body };
}

/** A token that takes long to fetch must not outlast the request that wants it. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (abort !== undefined) signal.removeEventListener('abort', abort);
  }
}
