import { Pool } from 'undici';

export interface KeycloakRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Absolute path below the server's address, with its query string; percent-encoded. */
  readonly path: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface KeycloakResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** Sends one HTTP request to a Keycloak: over a socket, or by a function call to the stand-in. */
export interface KeycloakTransport {
  send(request: KeycloakRequest): Promise<KeycloakResponse>;
}

const CONNECTIONS = 8;
const CONNECT_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 8 * 1_048_576;

/**
 * HTTP/1.1 over kept-alive connections. Redirects are not followed, because they could send the token to another
 * server.
 */
export class HttpKeycloakTransport implements KeycloakTransport {
  readonly #pool: Pool;
  readonly #pathPrefix: string;

  /**
   * @param server e.g. `https://id.example.org` or `https://example.org/auth`.
   * @param certificateAuthorities PEM; they replace the authorities that the machine trusts.
   */
  constructor(server: string, certificateAuthorities?: string) {
    const url = new URL(server);
    this.#pathPrefix = url.pathname.replace(/(?<!\/)\/+$/, '');
    this.#pool = new Pool(url.origin, {
      connections: CONNECTIONS,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: MAX_ANSWER_BYTES,
      connect: {
        timeout: CONNECT_TIMEOUT_MS,
        ...(certificateAuthorities !== undefined && { ca: certificateAuthorities }),
      },
    });
  }

  async send({ method, path, headers, body, signal }: KeycloakRequest): Promise<KeycloakResponse> {
    const response = await this.#pool.request({
      method,
      path: this.#pathPrefix + path,
      headers,
      body: body ?? null,
      signal,
    });
    const texts: Record<string, string | undefined> = {};
    for (const [name, value] of Object.entries(response.headers)) {
      texts[name] = Array.isArray(value) ? value.join(', ') : value;
    }
    return { status: response.statusCode, headers: texts, body: await response.body.text() };
  }

  /** Aborts all requests and closes all connections. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
