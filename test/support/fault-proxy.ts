import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpTarget {
  readonly host: string;
  readonly port: number;
}

/** What happens to the bytes of a connection. */
type Carriage =
  | { readonly type: 'pass' }
  /** Neither side hears anything any more, and neither is told. */
  | { readonly type: 'silent' }
  /** The connection is reset once this many bytes came from the server. */
  | { readonly type: 'cut'; readonly afterBytes: number };

/**
 * A TCP proxy on 127.0.0.1 that does to connections what networks, sleeping machines and load balancers do. It looks at
 * no byte, so TLS passes through. Faults are set by the test and stay until `heal`.
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

  /** How many connections were ever accepted. */
  get connections(): number {
    return this.accepted;
  }

  /** How many are open now. */
  get open(): number {
    return this.pairs.size;
  }

  /** Every connection, there or to come, falls silent for good. */
  silence(): void {
    this.next = { type: 'silent' };
    this.silenceEstablished();
  }

  /** Those that are there fall silent for good, as after a sleep or behind a forgetful load balancer; new ones work. */
  silenceEstablished(): void {
    for (const pair of this.pairs) pair.carriage = { type: 'silent' };
  }

  /** Resets all that are there. */
  reset(): void {
    for (const pair of this.pairs) pair.reset();
  }

  /** Resets a few of those that are there. @param choose true for each that is to be reset. */
  resetSome(choose: () => boolean): void {
    for (const pair of this.pairs) if (choose()) pair.reset();
  }

  /** Each new connection is reset after this many bytes from the server. */
  cutAfter(afterBytes: number): void {
    this.next = { type: 'cut', afterBytes };
  }

  /** New connections are refused, and those that are there are reset. */
  async refuse(): Promise<void> {
    this.reset();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** New connections lead elsewhere, and those that are there are reset. */
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
    // Whatever broke here breaks there; a silent connection hides it.
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
