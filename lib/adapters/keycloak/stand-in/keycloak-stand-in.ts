import type { Clock } from '../../../ports/clock.ts';
import { jsonOf, type KeycloakCredentials } from '../access-token.ts';
import type { KeycloakRequest, KeycloakResponse, KeycloakTransport } from '../keycloak-transport.ts';
import { handleAdmin, type StandInAnswer } from './admin-api.ts';
import { StandInRealm } from './realm.ts';
import { type StandInFault, StandInFaults, type StandInRequest, StandInReset } from './stand-in-fault.ts';

export interface KeycloakStandInOptions {
  readonly clock: Clock;
  /** Unique ids, of clients, mappers and tokens. */
  readonly newId: () => string;
  /** The one service account that it knows, which may administer every realm. */
  readonly credentials: KeycloakCredentials & { readonly clientSecret: string };
  /** The realms there are, besides that of the credentials. */
  readonly realms: readonly string[];
  /** 60 s by default, as Keycloak has it. */
  readonly tokenLifeSeconds?: number;
}

type AnyRequest = Omit<KeycloakRequest, 'method' | 'signal'> & {
  readonly method: string;
  readonly signal?: AbortSignal;
};

/**
 * A small Keycloak in memory: the token endpoint for one service account, and the part of the Admin REST API that the
 * adapter uses. One contract suite runs against it and against a real Keycloak. It shows no login page and issues no
 * tokens for users.
 */
export class KeycloakStandIn implements KeycloakTransport {
  readonly realms = new Map<string, StandInRealm>();
  readonly faults = new StandInFaults();
  /** Every answered request, in order; those for tokens too. */
  readonly requests: StandInRequest[] = [];
  readonly #options: KeycloakStandInOptions;
  readonly #tokens = new Map<string, number>();

  constructor(options: KeycloakStandInOptions) {
    this.#options = options;
    for (const name of new Set([options.credentials.realm, ...options.realms])) {
      this.realms.set(name, new StandInRealm());
    }
  }

  /** The requests that may have changed something in a realm. */
  writes(): StandInRequest[] {
    return this.requests.filter(({ method, path }) => method !== 'GET' && path.startsWith('/admin/'));
  }

  /** Makes every token that was given out invalid, as a restart or a key rotation does. */
  revokeTokens(): void {
    this.#tokens.clear();
  }

  async send(request: AnyRequest): Promise<KeycloakResponse> {
    const { method } = request;
    const path = request.path.split('?')[0] ?? '';
    const record = (status: number) => this.requests.push({ method, path, status });
    request.signal?.throwIfAborted();
    const fault = this.faults.take({ method, path });
    if (fault === undefined) {
      const answer = this.#answer(request);
      record(answer.status);
      return answer;
    }
    return await this.#answerFaulty(fault, request, record);
  }

  async #answerFaulty(
    fault: StandInFault,
    request: AnyRequest,
    record: (status: number) => void,
  ): Promise<KeycloakResponse> {
    if ('status' in fault) {
      record(fault.status);
      return { status: fault.status, headers: fault.headers ?? {}, body: fault.body ?? '' };
    }
    record(0);
    if ('hang' in fault) return await untilAborted(request.signal);
    this.#answer(request);
    throw new StandInReset();
  }

  #answer(request: AnyRequest): KeycloakResponse {
    const answer = this.#route(request);
    return {
      status: answer.status,
      headers: { 'content-type': 'application/json', ...answer.headers },
      body: answer.body === undefined ? '' : JSON.stringify(answer.body),
    };
  }

  #route({ method, path, headers, body }: AnyRequest): StandInAnswer {
    const url = new URL(path, 'http://stand-in');
    const segments = url.pathname.split('/').slice(1).map(decodeURIComponent);
    const [root, kind, realmName = ''] = segments;
    if (root === 'realms' && segments.slice(2).join('/') === 'protocol/openid-connect/token' && method === 'POST') {
      return this.#issueToken(kind ?? '', headers.authorization, body);
    }
    if (root !== 'admin' || kind !== 'realms') return { status: 404, body: { error: 'RESTEASY003210' } };
    if (!this.#isAuthorized(headers.authorization)) return { status: 401, body: { error: 'HTTP 401 Unauthorized' } };
    const realm = this.realms.get(realmName);
    if (realm === undefined) return { status: 404, body: { error: 'Realm not found.' } };
    return handleAdmin({
      realm,
      method,
      segments: segments.slice(3),
      query: url.searchParams,
      body: body === undefined ? undefined : jsonOf(body),
      newId: this.#options.newId,
    });
  }

  #issueToken(realm: string, authorization: string | undefined, body: string | undefined): StandInAnswer {
    const { credentials, clock, newId, tokenLifeSeconds = 60 } = this.#options;
    if (!this.realms.has(realm)) return { status: 404, body: { error: 'Realm does not exist' } };
    if (new URLSearchParams(body).get('grant_type') !== 'client_credentials') {
      return { status: 400, body: { error: 'unsupported_grant_type' } };
    }
    const wanted = `${encodeURIComponent(credentials.clientId)}:${encodeURIComponent(credentials.clientSecret)}`;
    const isKnown = authorization === `Basic ${Buffer.from(wanted).toString('base64')}`;
    if (realm !== credentials.realm || !isKnown) return { status: 401, body: { error: 'invalid_client' } };
    const token = `stand-in-${newId()}`;
    this.#tokens.set(token, clock.now() + tokenLifeSeconds * 1_000);
    return { status: 200, body: { access_token: token, expires_in: tokenLifeSeconds, token_type: 'Bearer' } };
  }

  #isAuthorized(authorization: string | undefined): boolean {
    const expiresAtMs = this.#tokens.get(authorization?.replace(/^Bearer /, '') ?? '');
    return expiresAtMs !== undefined && this.#options.clock.now() < expiresAtMs;
  }
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
