import type { Clock } from '../../../ports/clock.ts';
import { jsonOf, type KeycloakCredentials } from '../access-token.ts';
import type { KeycloakRequest, KeycloakResponse, KeycloakTransport } from '../keycloak-transport.ts';
import { handleAdmin } from './admin-api.ts';
import { StandInRealm } from './realm.ts';
import type { StandInRights } from './rights.ts';
import type { StandInAnswer } from './stand-in-answer.ts';
import { type StandInFault, StandInFaults, type StandInRequest, StandInReset } from './stand-in-fault.ts';

type StandInCredentials = KeycloakCredentials & { readonly clientSecret: string };

export interface KeycloakStandInOptions {
  readonly clock: Clock;
  /** Returns unique ids, for clients, mappers and tokens. */
  readonly newId: () => string;
  /** The service account that may manage every realm. */
  readonly credentials: StandInCredentials;
  /** Other service accounts, with fewer rights. */
  readonly accounts?: readonly { readonly credentials: StandInCredentials; readonly rights: StandInRights }[];
  /** The realms, in addition to the realm of the credentials. */
  readonly realms: readonly string[];
  /** 60 s by default, as in Keycloak. */
  readonly tokenLifeSeconds?: number;
}

type AnyRequest = Omit<KeycloakRequest, 'method' | 'signal'> & {
  readonly method: string;
  readonly signal?: AbortSignal;
};

/**
 * A small Keycloak in memory: the token endpoint for service accounts, and the part of the Admin REST API that the
 * adapter uses. One contract suite runs against it and against a real Keycloak. It shows no login page and issues no
 * tokens for users.
 */
export class KeycloakStandIn implements KeycloakTransport {
  readonly realms = new Map<string, StandInRealm>();
  readonly faults = new StandInFaults();
  /** Every answered request, in order; those for tokens too. */
  readonly requests: StandInRequest[] = [];
  readonly #options: KeycloakStandInOptions;
  /** The rights of the account of `credentials`. A token keeps the rights that the account had when it was issued. */
  rights: StandInRights = 'manage-clients';
  readonly #tokens = new Map<string, { readonly expiresAtMs: number; readonly rights: StandInRights }>();

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

  /** Makes every issued token invalid, as a restart or a key rotation does. */
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
    const rights = this.#rightsOf(headers.authorization);
    if (rights === undefined) return { status: 401, body: { error: 'HTTP 401 Unauthorized' } };
    const realm = this.realms.get(realmName);
    if (realm === undefined) return { status: 404, body: { error: 'Realm not found.' } };
    return handleAdmin({
      realm,
      rights,
      method,
      segments: segments.slice(3),
      query: url.searchParams,
      body: body === undefined ? undefined : jsonOf(body),
      newId: this.#options.newId,
    });
  }

  #issueToken(realm: string, authorization: string | undefined, body: string | undefined): StandInAnswer {
    const { credentials, accounts = [], clock, newId, tokenLifeSeconds = 60 } = this.#options;
    if (!this.realms.has(realm)) return { status: 404, body: { error: 'Realm does not exist' } };
    if (new URLSearchParams(body).get('grant_type') !== 'client_credentials') {
      return { status: 400, body: { error: 'unsupported_grant_type' } };
    }
    const account = [{ credentials, rights: this.rights }, ...accounts].find(
      (each) => each.credentials.realm === realm && authorization === basicAuthorization(each.credentials),
    );
    if (account === undefined) return { status: 401, body: { error: 'invalid_client' } };
    const token = `stand-in-${newId()}`;
    this.#tokens.set(token, { expiresAtMs: clock.now() + tokenLifeSeconds * 1_000, rights: account.rights });
    return { status: 200, body: { access_token: token, expires_in: tokenLifeSeconds, token_type: 'Bearer' } };
  }

  #rightsOf(authorization: string | undefined): StandInRights | undefined {
    const token = this.#tokens.get(authorization?.replace(/^Bearer /, '') ?? '');
    return token !== undefined && this.#options.clock.now() < token.expiresAtMs ? token.rights : undefined;
  }
}

function basicAuthorization({ clientId, clientSecret }: StandInCredentials): string {
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
