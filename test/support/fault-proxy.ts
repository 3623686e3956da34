import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpTarget {
  readonly host: string;
  readonly port: number;
}

/** What happens to the bytes of a connection. */
type Carriage =
  | { readonly type: 'pass' }
  /** Neither side receives anything any more, and neither gets an error. */
  | { readonly type: 'silent' }
  /** The connection is reset after this many bytes from the server. */
  | { readonly type: 'cut'; readonly afterBytes: number };

/**
 * A TCP proxy on 127.0.0.1 that breaks connections like networks, sleeping machines and load balancers. It reads no
 * byte, so TLS passes through. The test sets faults, which stay until `heal`.
 */
export class FaultProxy implements AsyncDisposable {
  readonly port: number;
  private readonly server: Server;
  private readonly pairs = new Set<Pair>();
  private target: TcpTarget;
  private next: Carriage = { type: 'pass' };
  private accepted = 0;

  private constructor(server: Server, target: TcpTarget) {
    this.server = server;
    this.target = target;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (client: Socket) => {
      this.accepted += 1;
      const pair = new Pair(client, connect({ ...this.target }), this.next, () => this.pairs.delete(pair));
      this.pairs.add(pair);
    });
  }

  static async before(target: TcpTarget): Promise<FaultProxy> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultProxy(server, target);
  }

  /** The number of connections that were ever accepted. */
  get connections(): number {
    return this.accepted;
  }

  /** The number of open connections. */
  get open(): number {
    return this.pairs.size;
  }

  /** Makes every connection silent forever, present and future ones. */
  silence(): void {
    this.next = { type: 'silent' };
    this.silenceEstablished();
  }

  /**
   * Makes the present connections silent forever, as after a sleep or behind a load balancer that lost them. New ones
   * work.
   */
  silenceEstablished(): void {
    for (const pair of this.pairs) pair.carriage = { type: 'silent' };
  }

  /** Resets all present connections. */
  reset(): void {
    for (const pair of this.pairs) pair.reset();
  }

  /** Resets some of the present connections. @param choose returns true for each one to reset. */
  resetSome(choose: () => boolean): void {
    for (const pair of this.pairs) if (choose()) pair.reset();
  }

  /** Each new connection is reset after this many bytes from the server. */
  cutAfter(afterBytes: number): void {
    this.next = { type: 'cut', afterBytes };
  }

  /** Refuses new connections, and resets the present ones. */
  async refuse(): Promise<void> {
    this.reset();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** Connects new connections to another server, and resets the present ones. */
  redirect(target: TcpTarget): void {
    this.target = target;
    this.reset();
  }

  /** New connections work; silent ones stay silent. */
  async heal(): Promise<void> {
    this.next = { type: 'pass' };
    if (this.server.listening) return;
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.server.listening) await this.refuse();
    else this.reset();
  }
}

/** The two sockets of one connection. */
class Pair {
  carriage: Carriage;
  private readonly client: Socket;
  private readonly upstream: Socket;
  private fromServer = 0;

  constructor(client: Socket, upstream: Socket, carriage: Carriage, onEnd: () => void) {
    this.client = client;
    this.upstream = upstream;
    this.carriage = carriage;
    this.carry(client, upstream, () => {});
    this.carry(upstream, client, (bytes) => this.count(bytes));
    let open = 2;
    const closed = () => {
      open -= 1;
      if (open === 0) onEnd();
    };
    client.once('close', closed);
    upstream.once('close', closed);
  }

  reset(): void {
    this.client.resetAndDestroy();
    this.upstream.resetAndDestroy();
  }

  private carry(from: Socket, to: Socket, onBytes: (bytes: number) => void): void {
    from.on('data', (chunk: Buffer) => {
      if (this.carriage.type === 'silent') return;
      onBytes(chunk.length);
      if (!to.destroyed && !to.write(chunk)) {
        from.pause();
        to.once('drain', () => from.resume());
      }
    });
    from.on('end', () => {
      if (this.carriage.type !== 'silent') to.end();
    });
    // An error on one side is passed to the other side; a silent connection hides it.
    from.on('error', () => {
      if (this.carriage.type !== 'silent') this.reset();
    });
    from.on('close', () => {
      if (this.carriage.type !== 'silent') to.end();
    });
  }

  private count(bytes: number): void {
    this.fromServer += bytes;
    if (this.carriage.type === 'cut' && this.fromServer >= this.carriage.afterBytes) this.reset();
  }
}
