/**
 * One HTTP exchange with an API server, whatever carries it: a kept-alive connection pool in production, a plain
 * function call into the embedded API server in tests and the simulator.
 */
export interface Transport {
  /**
   * Sends the request and resolves once the status line and headers are there; the body is read from the response.
   * Rejects with the transport's own error when no response came (refused, reset, timed out, aborted).
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Resolves once a request could be sent at once. Absent where that is always so. A call waits for it before its time
   * begins: a credential plugin may take longer than any request has, and the server is not to blame for that.
   * @throws CredentialsError when there are no credentials to be had; the signal's reason.
   */
  ready?(signal?: AbortSignal): Promise<void>;
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path with its query string, already percent-encoded. */
  readonly path: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborts the exchange at any moment, before the first byte too. */
  readonly signal?: AbortSignal;
  /** Called right before the first byte is sent, each time that it is. What it throws ends the exchange, and nothing is sent. */
  readonly beforeSend?: () => void;
}

export interface TransportResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The whole body as UTF-8 text. Body and chunks are alternatives: only one of them is read, once. */
  text(): Promise<string>;
  /** The body as it arrives; leaving the loop early closes the stream. */
  chunks(): AsyncIterable<Uint8Array>;
}
