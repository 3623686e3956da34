/** A request in the log, and as faults are matched to it. */
export interface StandInRequest {
  readonly method: string;
  /** Without its query string. */
  readonly path: string;
  /** HTTP status of the answer; 0 when a fault left the client without an answer. */
  readonly status: number;
}

/** What goes wrong with a request. */
export type StandInFault =
  /** The server sends this answer and does nothing. */
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** The server processes the request, and its answer is lost. */
  | { readonly dropResponse: true }
  /** The server does not answer until the client gives up. */
  | { readonly hang: true };

export interface StandInInjection {
  readonly match: (request: Omit<StandInRequest, 'status'>) => boolean;
  readonly fault: StandInFault;
  /** How many requests the fault affects; all by default. */
  readonly times?: number;
}

/** What a client sees when the connection breaks. */
export class StandInReset extends Error {
  override readonly name = 'StandInReset';
  readonly code = 'ECONNRESET';

  constructor() {
    super('the connection was reset (injected fault)');
  }
}

/** The faults that tests have injected, the oldest one first. */
export class StandInFaults {
  readonly #running = new Set<{ injection: StandInInjection; hits: number }>();

  inject(injection: StandInInjection): { readonly hits: number; remove(): void } {
    const running = { injection, hits: 0 };
    this.#running.add(running);
    return {
      get hits() {
        return running.hits;
      },
      remove: () => this.#running.delete(running),
    };
  }

  take(request: Omit<StandInRequest, 'status'>): StandInFault | undefined {
    for (const running of this.#running) {
      const { match, fault, times } = running.injection;
      if (!match(request)) continue;
      running.hits += 1;
      if (times !== undefined && running.hits >= times) this.#running.delete(running);
      return fault;
    }
    return undefined;
  }
}
