import type { StatusCause } from '../api-error.ts';
import type { RequestRecord } from '../request-log.ts';

/** A request as faults are matched to it. */
export type FaultedRequest = Omit<RequestRecord, 'status'>;

/** What goes wrong with a request. */
export type Fault =
  /** The server answers with this error and does nothing; `message` and `reason` have the usual words by default. */
  | {
      readonly status: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
      readonly causes?: readonly StatusCause[];
    }
  /** The request is carried out once the promise is fulfilled. */
  | { readonly delay: Promise<unknown> }
  /** The request is carried out, and its answer lost. */
  | { readonly dropResponse: true }
  /** The request is carried out, and the connection breaks after this many bytes of the answer's body. */
  | { readonly resetAfterBytes: number }
  /** Nothing happens, until the client gives up. */
  | { readonly hang: true };

export interface FaultInjection {
  /** Says which requests: by a function, or by the fields they must agree in. */
  readonly match: ((request: FaultedRequest) => boolean) | Partial<FaultedRequest>;
  readonly fault: Fault;
  /** How many requests it hits; all by default. */
  readonly times?: number;
}

/** A running injection. */
export interface InjectedFault {
  /** How many requests were hit so far. */
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
