import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import { answerError, malformed } from './keycloak-answer.ts';
import type { KeycloakTransport } from './keycloak-transport.ts';

/** A confidential client with a service account, in the realm that manages the others. */
export interface KeycloakCredentials {
  readonly realm: string;
  readonly clientId: string;
  /**
   * The secret, or a function that reads it before each token, when it is stored elsewhere and may change. Rejects with
   * IdentityError.
   */
  readonly clientSecret: string | (() => Promise<string>);
}

/** A token is not used in the last part of its lifetime: it must still be valid when the server checks it. */
const RENEW_BEFORE_MS = 10_000;

const tokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number().nonnegative() });

/** The access token for the admin API. Concurrent callers share one fetch, and the token is renewed before it expires. */
export class AccessToken {
  readonly #transport: KeycloakTransport;
  readonly #credentials: KeycloakCredentials;
  readonly #clock: Clock;
  #current: { readonly token: string; readonly renewAtMonotonicMs: number } | undefined;
  #fetching: Promise<string> | undefined;

  constructor(transport: KeycloakTransport, credentials: KeycloakCredentials, clock: Clock) {
    this.#transport = transport;
    this.#credentials = credentials;
    this.#clock = clock;
  }

  /** @throws IdentityError */
  async get(signal: AbortSignal): Promise<string> {
    const current = this.#current;
    if (current !== undefined && this.#clock.monotonic() < current.renewAtMonotonicMs) return current.token;
    const fetching = this.#fetching ?? this.#fetch(signal);
    this.#fetching = fetching;
    try {
      return await fetching;
    } finally {
      if (this.#fetching === fetching) this.#fetching = undefined;
    }
  }

  /** Drops this token, which the server refused: the next call fetches another. */
  refused(token: string): void {
    if (this.#current?.token === token) this.#current = undefined;
  }

  async #fetch(signal: AbortSignal): Promise<string> {
    const { realm, clientId, clientSecret } = this.#credentials;
    const what = `fetching a token from realm ${realm}`;
    const secret = typeof clientSecret === 'string' ? clientSecret : await clientSecret();
    const startedAtMs = this.#clock.monotonic();
    const response = await this.#transport.send({
      method: 'POST',
      path: `/realms/${encodeURIComponent(realm)}/protocol/openid-connect/token`,
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString('base64')}`,
      },
      body: 'grant_type=client_credentials',
      signal,
    });
    if (response.status !== 200) throw answerError(what, response, this.#clock.now());
    const parsed = tokenAnswer.safeParse(jsonOf(response.body));
    if (!parsed.success) throw malformed(what, 'it is no token');
    const { access_token: token, expires_in: lifeSeconds } = parsed.data;
    const lifeMs = lifeSeconds * 1_000;
    this.#current = { token, renewAtMonotonicMs: startedAtMs + Math.max(lifeMs / 2, lifeMs - RENEW_BEFORE_MS) };
    return token;
  }
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
