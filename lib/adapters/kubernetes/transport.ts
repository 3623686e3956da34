/**
 * Carries one HTTP request to an API server: over a pool of kept-alive connections in production, by a function call to
 * the embedded API server in tests and the simulator.
 */
export interface Transport {
  /**
   * Sends the request. Resolves when the status line and the headers have arrived; the body is read from the response.
   * Rejects with the transport's own error when there is no response (refused, reset, timed out, aborted).
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Resolves when a request can be sent without a wait. Absent when that is always so. A call awaits it before its
   * time-out starts, because a credential plugin may take longer than the time-out, and the server is not the cause.
   * @throws CredentialsError when there are no credentials; the signal's reason.
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
  /** Aborts the request at any moment, also before the first byte. */
  readonly signal?: AbortSignal;
  /** Called right before the first byte is sent, also for a repeated request. If it throws, nothing is sent. */
  readonly beforeSend?: () => void;
}

export interface TransportResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The whole body as UTF-8 text. Read either the text or the chunks, and only once. */
  text(): Promise<string>;
  /** The body in pieces, as it arrives. Leaving the loop early closes the stream. */
  chunks(): AsyncIterable<Uint8Array>;
}
