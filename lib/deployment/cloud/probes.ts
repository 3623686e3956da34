import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../ports/clock.ts';

/**
 * The process reads its list of clusters each 15 s, and may wait for AWS. When it shows no progress for this long, it
 * hangs.
 */
const HANGS_AFTER_MS = 180_000;

/** The metrics of this process, for requests with a credential. */
export interface ProbesMetrics {
  readonly contentType: string;
  exposition(): Promise<string>;
  /** @param authorization the header of the request. */
  isAuthorized(authorization: string | undefined): boolean;
}

/**
 * Answers a kubelet: `/ready` after the first progress, `/live` unless the last progress is too long ago. With metrics,
 * it also answers Prometheus at `/metrics`.
 */
export class Probes {
  private readonly clock: Clock;
  private readonly startedAtMs: number;
  private aliveAtMs: number | undefined;
  private readonly metrics: ProbesMetrics | undefined;
  private readonly server = createServer((request, response) => {
    if (this.metrics !== undefined && request.url === '/metrics') {
      void answerMetrics(this.metrics, request, response);
      return;
    }
    const fine = request.url === '/ready' ? this.isReady : request.url === '/live' && this.isAlive;
    response.writeHead(fine ? 200 : 503, { 'content-type': 'text/plain' }).end(fine ? 'ok\n' : 'no\n');
  });

  constructor(clock: Clock, metrics?: ProbesMetrics) {
    this.clock = clock;
    this.metrics = metrics;
    this.startedAtMs = clock.monotonic();
  }

  /** @param port 0 for a free one. @returns the port. */
  async listen(host: string, port: number): Promise<number> {
    const bound = Promise.withResolvers<void>();
    this.server.once('error', bound.reject);
    this.server.listen(port, host, () => bound.resolve());
    await bound.promise;
    return (this.server.address() as AddressInfo).port;
  }

  signOfLife(): void {
    this.aliveAtMs = this.clock.monotonic();
  }

  get isReady(): boolean {
    return this.aliveAtMs !== undefined;
  }

  get isAlive(): boolean {
    return this.clock.monotonic() - (this.aliveAtMs ?? this.startedAtMs) < HANGS_AFTER_MS;
  }

  async close(): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.server.close(() => closed.resolve());
    this.server.closeAllConnections();
    await closed.promise;
  }
}

async function answerMetrics(
  metrics: ProbesMetrics,
  { headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!metrics.isAuthorized(headers.authorization)) {
    response.writeHead(401, { 'content-type': 'text/plain' }).end('Unauthorized\n');
    return;
  }
  try {
    const text = await metrics.exposition();
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
  } catch {
    response.writeHead(500, { 'content-type': 'text/plain' }).end('the metrics cannot be shown\n');
  }
}
