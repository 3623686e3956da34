import { AsyncLocalStorage } from 'node:async_hooks';
import { Socket } from 'node:net';
import { EvenkeelError } from '../../core/errors.ts';

export interface GuardedConnection<Within> {
  /** `host:port`, or the path of a socket. */
  readonly to: string;
  /** The lines of the caller's stack, without those of Node.js. */
  readonly stack: readonly string[];
  /** What ran when it was refused. */
  readonly within: Within | undefined;
}

export class ConnectionRefusedError extends EvenkeelError {
  constructor(to: string) {
    super('CONNECTION_REFUSED', `a connection to ${to} was refused, because a plan connects only to its cluster`);
  }
}

const STACK_LINES = 6;

/**
 * Refuses every connection of this process that no code was allowed to open, also those of fetch and node:http. It does not
 * reach other processes and worker threads, nor connections that are open already.
 */
export class ConnectionGuard<Within = unknown> implements Disposable {
  /** Those that were refused, in order. */
  readonly refused: GuardedConnection<Within>[] = [];
  /** Says what runs now, for the report. */
  within: () => Within | undefined = () => undefined;
  readonly #allowed = new AsyncLocalStorage<true>();
  readonly #original = Socket.prototype.connect;

  constructor() {
    const guard = this;
    const original = this.#original;
    // Every client of Node.js opens its connections here.
    Socket.prototype.connect = function connect(this: Socket, ...parameters: unknown[]) {
      if (guard.#allowed.getStore() === undefined) guard.#refuse(destination(parameters));
      return Reflect.apply(original, this, parameters) as Socket;
    } as typeof original;
  }

  /** Code that runs in `task`, and what it starts, may open connections. */
  allow<Result>(task: () => Result): Result {
    return this.#allowed.run(true, task);
  }

  #refuse(to: string): never {
    const error = new ConnectionRefusedError(to);
    const stack = (error.stack ?? '')
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
    const own = stack.filter((line) => !line.includes('node:') && !line.includes('connection-guard'));
    this.refused.push({ to, stack: own.slice(0, STACK_LINES), within: this.within() });
    throw error;
  }

  [Symbol.dispose](): void {
    Socket.prototype.connect = this.#original;
  }
}

/** node:net gives options, a normalized list of them, a port and a host, or a path. */
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
