import { AsyncLocalStorage } from 'node:async_hooks';
import { Socket as Datagrams } from 'node:dgram';
import { Socket } from 'node:net';
import { EvenkeelError } from '../../core/errors.ts';

export interface GuardedConnection<Within> {
  /** `host:port`, `host:port (UDP)`, or the path of a socket. */
  readonly to: string;
  /** The lines of the caller's stack, without those of Node.js. */
  readonly stack: readonly string[];
  /** The code that ran when it was refused. */
  readonly within: Within | undefined;
}

export class ConnectionRefusedError extends EvenkeelError {
  constructor(to: string) {
    super('CONNECTION_REFUSED', `a connection to ${to} was refused, because a plan connects only to its cluster`);
  }
}

const STACK_LINES = 6;

/**
 * Refuses every connection of this process that no code was allowed to open, also those of fetch and node:http, and
 * every datagram. It does not cover other processes and worker threads, the DNS queries of node:dns, and TCP
 * connections that are already open.
 */
export class ConnectionGuard<Within = unknown> implements Disposable {
  /** The refused connections, in order. */
  readonly refused: GuardedConnection<Within>[] = [];
  /** Returns what runs now, for the report. */
  within: () => Within | undefined = () => undefined;
  readonly #allowed = new AsyncLocalStorage<true>();
  /** The stack of the running fetch: fetch connects later, when the stack has only lines of Node.js or of undici. */
  readonly #callers = new AsyncLocalStorage<readonly string[]>();
  readonly #restore = new DisposableStack();

  constructor() {
    // Every client of Node.js opens its connections here.
    this.#replace(Socket.prototype, 'connect', destination);
    this.#replace(Datagrams.prototype, 'connect', (parameters) => `${destination(parameters)} (UDP)`);
    this.#replace(
      Datagrams.prototype,
      'send',
      (parameters, socket) => `${datagramDestination(parameters, socket)} (UDP)`,
    );
    const { fetch } = globalThis;
    globalThis.fetch = (...parameters) => this.#callers.run(ownLines(new Error()), () => fetch(...parameters));
    this.#restore.defer(() => {
      globalThis.fetch = fetch;
    });
  }

  #replace<Name extends string, On extends Record<Name, (...parameters: never[]) => unknown>>(
    on: On,
    name: Name,
    destinationOf: (parameters: readonly unknown[], self: On) => string,
  ): void {
    const guard = this;
    const original = on[name];
    on[name] = function guarded(this: On, ...parameters: unknown[]) {
      if (guard.#allowed.getStore() === undefined) guard.#refuse(destinationOf(parameters, this));
      return Reflect.apply(original, this, parameters);
    } as unknown as On[Name];
    this.#restore.defer(() => {
      on[name] = original;
    });
  }

  /** `task`, and everything that it starts, may open connections. */
  allow<Result>(task: () => Result): Result {
    return this.#allowed.run(true, task);
  }

  #refuse(to: string): never {
    const error = new ConnectionRefusedError(to);
    const stack = this.#callers.getStore() ?? ownLines(error);
    this.refused.push({ to, stack, within: this.within() });
    throw error;
  }

  [Symbol.dispose](): void {
    this.#restore.dispose();
  }
}

/**
 * The lines of a stack, without its message (which may contain any text), and without those of Node.js and this class.
 */
function ownLines({ stack = '', message }: Error): readonly string[] {
  const calls = stack.replace(message, '').split('\n').slice(1);
  const own = calls.filter((line) => !line.includes('node:') && !/\/connection-guard\.[jt]s:/.test(line));
  return own.map((line) => line.trim()).slice(0, STACK_LINES);
}

/**
 * Parses the arguments as node:dgram does: message, then both offset and length or neither, then port, address and
 * callback.
 */
function datagramDestination(parameters: readonly unknown[], socket: Datagrams): string {
  const connected = remoteOf(socket);
  if (connected !== undefined) return connected;
  const [, first, second, third, fourth] = parameters;
  const isPart = Boolean(fourth) || (Boolean(third) && typeof third !== 'function');
  const [port, host] = isPart ? [third, fourth] : [first, second];
  return `${typeof host === 'string' && host !== '' ? host : 'localhost'}:${String(port)}`;
}

function remoteOf(socket: Datagrams): string | undefined {
  try {
    const { address, port } = socket.remoteAddress();
    return `${address}:${port}`;
  } catch {
    // The socket is not connected.
    return undefined;
  }
}

/** The arguments of node:net are options, a normalized list of them, a port and a host, or a path. */
function destination(parameters: readonly unknown[]): string {
  const [first, second] = parameters;
  const given: unknown = Array.isArray(first) ? first[0] : first;
  if (typeof given === 'object' && given !== null) {
    const { host, port, path } = given as { host?: unknown; port?: unknown; path?: unknown };
    return typeof path === 'string' && port === undefined ? path : `${String(host ?? 'localhost')}:${String(port)}`;
  }
  if (typeof given === 'number') return `${typeof second === 'string' ? second : 'localhost'}:${given}`;
  return String(given);
}
