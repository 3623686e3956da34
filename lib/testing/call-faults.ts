/** What happens at one call of a port. */
export type CallFault =
  /** The process dies before the call. */
  | 'crash-before'
  /** The call takes effect, then the process dies. */
  | 'crash-after'
  /** The call takes effect, and its answer is lost. */
  | 'lose-answer'
  /** The call fails without effect. */
  | 'fail';

/** Thrown at whatever a dead process tries to do. */
export class CrashedError extends Error {
  constructor() {
    super('this process is dead');
    this.name = 'CrashedError';
  }
}

/**
 * Counts every call that one process makes to its ports, and has a fault happen at one of them. Running a scenario once
 * without a fault tells how many calls there are; running it once for each call and fault enumerates what can go wrong.
 */
export class CallFaults {
  calls = 0;
  /** The name of the call that the fault fell on. */
  hit: string | undefined;
  readonly #at: number;
  readonly #fault: CallFault | undefined;
  #dead = false;

  /** @param at the number of the call, from 0; the fault falls on it. */
  constructor(at = -1, fault?: CallFault) {
    this.#at = at;
    this.#fault = fault;
  }

  get crashed(): boolean {
    return this.#dead;
  }

  /**
   * The port with its calls counted.
   * @param errorOf what a failed or unanswered call rejects with.
   */
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
      // Died while this call was under way: it took effect, and nobody is there to see.
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
