import { rootCertificates } from 'node:tls';
import { Pool, ProxyAgent } from 'undici';
import { type ExchangeAnswer, type ExchangeRequest, exchange } from '../http/exchange.ts';
import { isDeadConnection } from '../http/transport-failure.ts';
import type { ClusterConnection } from './connection/cluster-connection.ts';
import { guardedLookup } from './connection/guarded-lookup.ts';
import {
  type ClientCertificate,
  type CredentialSource,
  type Credentials,
  tokenCredentials,
} from './credentials/token-source.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface HttpTransportOptions {
  readonly connection: ClusterConnection;
  /** Parallel requests, each on its own kept-alive connection; further requests wait. 16 by default. */
  readonly connections?: number;
}

const DEFAULT_CONNECTIONS = 16;
/** Less than the API server's own limit: it drops an idle connection after 90 s (Go's default). */
const KEEP_ALIVE_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5_000;
const TCP_PROBE_AFTER_MS = 30_000;
const MAX_DISCARDED_BYTES = 131_072;

/**
 * HTTP/1.1 over kept-alive connections. Requests and watches have separate pools, because a watch uses its connection
 * for minutes. Redirects are not followed, and the proxy variables of the environment are not read: only the connection
 * names a proxy. The caller sets time-outs with its signal.
 *
 * After a 401 the credentials are fetched again. The request is repeated once if they changed; the refused request had
 * no effect. A client certificate of a plugin belongs to a connection, so a new certificate starts new pools.
 */
export class HttpTransport implements Transport {
  readonly #source: CredentialSource | undefined;
  readonly #isPlugin: boolean;
  readonly #pathPrefix: string;
  readonly #requests: ConnectionPool;
  readonly #watches: ConnectionPool;

  constructor({ connection, connections = DEFAULT_CONNECTIONS }: HttpTransportOptions) {
    const url = new URL(connection.server);
    const { token, plugin } = connection;
    this.#source = plugin ?? (token === undefined ? undefined : tokenCredentials(token));
    this.#isPlugin = plugin !== undefined;
    this.#pathPrefix = url.pathname.replace(/(?<!\/)\/+$/, '');
    const poolOf = (limit: number | null) => (certificate: ClientCertificate | undefined) =>
      createPool(url.origin, connection, certificate ?? connection.clientCertificate, limit);
    this.#requests = new ConnectionPool(url.origin, poolOf(connections));
    this.#watches = new ConnectionPool(url.origin, poolOf(null));
  }

  async ready(signal?: AbortSignal): Promise<void> {
    // Only a plugin may take long. The other sources answer or fail within a moment.
    if (this.#isPlugin && this.#source !== undefined) await untilAborted(this.#source.current(), signal);
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const source = this.#source;
    if (source === undefined) return toResponse(await this.#exchange(request, {}));
    const credentials = await untilAborted(source.current(), request.signal);
    const answer = await this.#exchange(request, credentials);
    if (answer.status !== 401) return toResponse(answer);
    source.refused(credentials);
    const renewed = await this.#renewed(source, answer, request.signal);
    if (isSame(renewed, credentials)) return toResponse(answer);
    await discard(answer);
    return toResponse(await this.#exchange(request, renewed));
  }

  /** Aborts running requests, and closes all connections. */
  async close(): Promise<void> {
    await Promise.all([this.#requests.close(), this.#watches.close()]);
  }

  async #renewed(
    source: CredentialSource,
    answer: ExchangeAnswer,
    signal: AbortSignal | undefined,
  ): Promise<Credentials> {
    try {
      return await untilAborted(source.current(), signal);
    } catch (error) {
      await discard(answer);
      throw error;
    }
  }

  #exchange(request: TransportRequest, { token, clientCertificate }: Credentials): Promise<ExchangeAnswer> {
    const pool = isWatch(request) ? this.#watches : this.#requests;
    const options = {
      method: request.method,
      path: this.#pathPrefix + request.path,
      headers: token === undefined ? request.headers : { ...request.headers, authorization: `Bearer ${token}` },
      body: request.body ?? null,
    };
    return pool.request(options, clientCertificate, request);
  }
}

type AnyPool = Pool | ProxyAgent;

/**
 * A pool that is replaced as soon as one of its connections is found dead. The other idle connections are probably dead
 * for the same reason, and a repeated request must not use one of them.
 */
class ConnectionPool {
  readonly #origin: string;
  readonly #create: (certificate: ClientCertificate | undefined) => AnyPool;
  #certificate: ClientCertificate | undefined;
  #pool: AnyPool;
  readonly #retired = new Set<AnyPool>();
  #isClosed = false;

  constructor(origin: string, create: (certificate: ClientCertificate | undefined) => AnyPool) {
    this.#origin = origin;
    this.#create = create;
    this.#pool = create(undefined);
  }

  async request(
    options: Omit<ExchangeRequest, 'origin'>,
    certificate: ClientCertificate | undefined,
    { signal, beforeSend }: Pick<TransportRequest, 'signal' | 'beforeSend'>,
  ): Promise<ExchangeAnswer> {
    if (!isSameCertificate(certificate, this.#certificate) && !this.#isClosed) {
      this.#certificate = certificate;
      this.#replace(this.#pool);
    }
    const pool = this.#pool;
    try {
      return await exchange(pool, { ...options, origin: this.#origin }, signal, beforeSend);
    } catch (error) {
      if (isDeadConnection(error) && pool === this.#pool && !this.#isClosed) this.#replace(pool);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#pool, ...this.#retired].map((pool) => pool.destroy()));
  }

  /** Running requests finish on the old pool. */
  #replace(pool: AnyPool): void {
    this.#pool = this.#create(this.#certificate);
    this.#retired.add(pool);
    const forget = () => this.#retired.delete(pool);
    pool.close().then(forget, forget);
  }
}

function createPool(
  origin: string,
  connection: ClusterConnection,
  certificate: ClientCertificate | undefined,
  connections: number | null,
): AnyPool {
  const shared: Pool.Options = {
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    connections,
  };
  const sockets = { timeout: CONNECT_TIMEOUT_MS, keepAlive: true, keepAliveInitialDelay: TCP_PROBE_AFTER_MS };
  const server = { ...sockets, ...tlsOptions(connection, certificate) };
  const { proxy, certificateAuthority, refuseLocalAddresses } = connection;
  if (proxy === undefined) {
    const lookup = refuseLocalAddresses === true ? { lookup: guardedLookup() } : {};
    return new Pool(origin, { ...shared, connect: { ...server, ...lookup } });
  }
  // As in kubectl, the cluster's certificate authority may have signed the proxy's certificate too.
  const ca = certificateAuthority === undefined ? {} : { ca: [...rootCertificates, certificateAuthority] };
  return new ProxyAgent({ ...shared, uri: proxy, requestTls: server, proxyTls: { ...sockets, ...ca } });
}

function tlsOptions(connection: ClusterConnection, certificate: ClientCertificate | undefined) {
  const { certificateAuthority, tlsServerName, insecureSkipTlsVerify } = connection;
  return {
    rejectUnauthorized: insecureSkipTlsVerify !== true,
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
    ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key }),
    ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
  };
}

function isSame(one: Credentials, other: Credentials): boolean {
  return one.token === other.token && isSameCertificate(one.clientCertificate, other.clientCertificate);
}

function isSameCertificate(one: ClientCertificate | undefined, other: ClientCertificate | undefined): boolean {
  return one?.certificate === other?.certificate && one?.key === other?.key;
}

function isWatch({ method, path }: TransportRequest): boolean {
  return method === 'GET' && /[?&]watch=(?:true|1)(?:&|$)/.test(path);
}

function toResponse({ status, headers, chunks }: ExchangeAnswer): TransportResponse {
  return { status, headers, text: () => textOf(chunks), chunks: () => chunks };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(chunks)).toString('utf8');
}

/** Reads a small body to its end, so that its connection can be used again. */
async function discard({ chunks }: ExchangeAnswer): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      if (bytes > MAX_DISCARDED_BYTES) return;
    }
  } catch {
    // The body is not needed, so its failure does not matter.
  }
}

/** A request does not wait longer for a token than its own time limit. */
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
