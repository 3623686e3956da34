import type { RunningKeycloak } from './start-keycloak.ts';

/** A service account of `master`. */
export interface ServiceAccount {
  readonly realm: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The Admin REST API as somebody uses it who may do everything, with a token of its own for each request: one does not know realms that were made after it. */
export class KeycloakAdmin {
  readonly #keycloak: Pick<RunningKeycloak, 'url' | 'credentials'>;

  constructor(keycloak: Pick<RunningKeycloak, 'url' | 'credentials'>) {
    this.#keycloak = keycloak;
  }

  /** @param path below /admin/realms, as in `/shop/clients`. */
  async call(method: Method, path: string, body?: object): Promise<unknown> {
    const headers = { authorization: `Bearer ${await this.#token()}`, 'content-type': 'application/json' };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    return await answerOf(`${this.#keycloak.url}/admin/realms${path}`, { method, headers, ...text });
  }

  /** @throws Error when the realm has no such client. */
  async client(realm: string, clientId: string): Promise<Record<string, unknown> & { readonly id: string }> {
    const path = `/${realm}/clients?clientId=${encodeURIComponent(clientId)}`;
    const [client] = (await this.call('GET', path)) as { id: string }[];
    if (client === undefined) throw new Error(`realm ${realm} has no client ${clientId}`);
    return client as Record<string, unknown> & { readonly id: string };
  }

  async newAccount(clientId: string): Promise<ServiceAccount> {
    const clientSecret = `secret of ${clientId}`;
    const client = { clientId, secret: clientSecret, serviceAccountsEnabled: true, publicClient: false };
    await this.call('POST', '/master/clients', client);
    return { realm: 'master', clientId, clientSecret };
  }

  /** Gives roles over a realm to an account, or takes them away. */
  async setRoles(method: 'POST' | 'DELETE', account: ServiceAccount, realm: string, roles: readonly string[]) {
    const { id } = await this.client('master', account.clientId);
    const user = (await this.call('GET', `/master/clients/${id}/service-account-user`)) as { id: string };
    const { id: ofRealm } = await this.client('master', `${realm}-realm`);
    const whole = await Promise.all(
      roles.map((role) => this.call('GET', `/master/clients/${ofRealm}/roles/${role}`) as Promise<object>),
    );
    await this.call(method, `/master/users/${user.id}/role-mappings/clients/${ofRealm}`, whole);
  }

  async #token(): Promise<string> {
    const { url, credentials } = this.#keycloak;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
    });
    const answer = await answerOf(`${url}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
    return (answer as { access_token: string }).access_token;
  }
}

async function answerOf(url: string, request: RequestInit): Promise<unknown> {
  const response = await fetch(url, request);
  const answer = await response.text();
  if (!response.ok) throw new Error(`${request.method} ${url} was answered ${response.status}: ${answer}`);
  return answer === '' ? undefined : JSON.parse(answer);
}
