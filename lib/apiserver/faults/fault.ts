import type { StatusCause } from '../api-error.ts';
import type { RequestRecord } from '../request-log.ts';

/** The fields of a request that faults are compared with. */
export type FaultedRequest = Omit<RequestRecord, 'status'>;

/** What goes wrong with a request. */
export type Fault =
  /** The server sends this error and does nothing. By default `message` and `reason` have the usual texts. */
  | {
      readonly status: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
      readonly causes?: readonly StatusCause[];
    }
  /** The server processes the request when the promise is fulfilled. */
  | { readonly delay: Promise<unknown> }
  /** The server processes the request, and its answer is lost. */
  | { readonly dropResponse: true }
  /** The server processes the request, and the connection breaks after this many bytes of the answer's body. */
  | { readonly resetAfterBytes: number }
  /** The server does not answer until the client gives up. */
  | { readonly hang: true };

export interface FaultInjection {
  /** Selects requests: by a function, or by fields that must be equal. */
  readonly match: ((request: FaultedRequest) => boolean) | Partial<FaultedRequest>;
  readonly fault: Fault;
  /** How many requests it affects; all by default. */
  readonly times?: number;
}

/** A running injection. */
export interface InjectedFault {
  /** How many requests it has affected. */
  readonly hits: number;
  remove(): void;
}

/** What a client sees when the connection breaks; `code` is that of the socket error. */
export class ConnectionReset extends Error {
  override readonly name = 'ConnectionReset';
  readonly code = 'ECONNRESET';

  constructor() {
    super('the connection was reset (injected fault)');
  }
}
