import { EvenkeelError } from '../../core/errors.ts';
import type { Target } from '../../core/target.ts';
import type { CurrentPass } from '../changes/current-pass.ts';

export interface RecordedCall {
  readonly target: Target | undefined;
  /** The controller group and the method. */
  readonly call: string;
}

/** The pass ended because the controller wanted to change something outside the cluster. */
export class ExternalCallError extends EvenkeelError {
  constructor(call: string) {
    super('EXTERNAL_CALL', `${call} is not called by a plan`);
  }
}

/**
 * Wraps the clients of controllers. Only methods that the controller group declares as reads are called. Any other call
 * is reported and ends its pass, because its result is not known.
 */
export class ExternalCalls {
  readonly calls: RecordedCall[] = [];
  readonly #pass: CurrentPass;
  readonly #allow: <Result>(task: () => Result) => Result;

  /** @param allow runs a read that may open connections. */
  constructor(pass: CurrentPass, allow: <Result>(task: () => Result) => Result) {
    this.#pass = pass;
    this.#allow = allow;
  }

  /** @param reads the names of the methods that change nothing. */
  guard<Clients>(group: string, clients: Clients, reads: readonly string[]): Clients {
    if (typeof clients !== 'object' || clients === null) return clients;
    return new Proxy(clients, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        if (reads.includes(String(name))) {
          return (...parameters: unknown[]) => this.#allow(() => Reflect.apply(member, target, parameters) as unknown);
        }
        return () => this.#refuse(`${group} ${String(name)}`);
      },
    });
  }

  /** Whether an external call may have ended the last pass of an object. */
  isOf({ uid }: Pick<Target, 'uid'>): boolean {
    return this.calls.some(({ target }) => target?.uid === uid);
  }

  #refuse(call: string): Promise<never> {
    const { target } = this.#pass;
    const isKnown = this.calls.some((known) => known.call === call && known.target?.uid === target?.uid);
    if (!isKnown) this.calls.push({ target, call });
    return Promise.reject(new ExternalCallError(call));
  }
}
