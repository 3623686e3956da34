import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../ports/clock.ts';

/**
 * The process reads its list of clusters each 15 s, and may wait for AWS. Without a sign of life for this long it
 * hangs.
 */
const HANGS_AFTER_MS = 180_000;

/**
 * Answers the probes of a kubelet: `/ready` succeeds after the first sign of life, `/live` fails when the last one is
 * too old.
 */
export class Probes {
  private readonly clock: Clock;
  private readonly startedAtMs: number;
  private aliveAtMs: number | undefined;
  private readonly server = createServer((request, response) => {
    const fine = request.url === '/ready' ? this.isReady : request.url === '/live' && this.isAlive;
    response.writeHead(fine ? 200 : 503, { 'content-type': 'text/plain' }).end(fine ? 'ok\n' : 'no\n');
  });

  constructor(clock: Clock) {
    this.clock = clock;
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
