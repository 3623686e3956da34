/** The fault at one call of a port. */
export type CallFault =
  /** The process dies before the call. */
  | 'crash-before'
  /** The call takes effect, then the process dies. */
  | 'crash-after'
  /** The call takes effect, and its answer is lost. */
  | 'lose-answer'
  /** The call fails without effect. */
  | 'fail';

/** Thrown by every call of a dead process. */
export class CrashedError extends Error {
  constructor() {
    super('this process is dead');
    this.name = 'CrashedError';
  }
}

/**
 * Counts every call of one process to its ports, and injects a fault at one of them. A run without a fault shows how
 * many calls there are. A run for each call and fault then tries everything that can go wrong.
 */
export class CallFaults {
  calls = 0;
  /** The name of the call with the fault. */
  hit: string | undefined;
  readonly #at: number;
  readonly #fault: CallFault | undefined;
  #dead = false;

  /** @param at the number of the call that gets the fault, from 0. */
  constructor(at = -1, fault?: CallFault) {
    this.#at = at;
    this.#fault = fault;
  }

  get crashed(): boolean {
    return this.#dead;
  }

  /** Wraps a port so that its calls are counted. @param errorOf the error of a failed or unanswered call. */
  wrap<Port extends object>(port: Port, name: string, errorOf: (method: string) => Error): Port {
    return new Proxy(port, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function' || typeof property !== 'string') return value;
        return (...args: unknown[]) =>
          this.#call(
            () => value.apply(target, args),
            `${name}.${property}`,
            () => errorOf(property),
          );
      },
    });
  }

  async #call(run: () => unknown, name: string, error: () => Error): Promise<unknown> {
    if (this.#dead) throw new CrashedError();
    const isHere = this.calls === this.#at;
    this.calls += 1;
    if (!isHere) {
      const result = await run();
      // The process died during this call: the call took effect, and nobody gets its answer.
      if (this.#dead) throw new CrashedError();
      return result;
    }
    this.hit = name;
    switch (this.#fault) {
      case 'crash-before':
        this.#dead = true;
        throw new CrashedError();
      case 'crash-after':
        await run();
        this.#dead = true;
        throw new CrashedError();
      case 'lose-answer':
        await run();
        throw error();
      case 'fail':
        throw error();
      case undefined:
        return await run();
    }
  }
}
