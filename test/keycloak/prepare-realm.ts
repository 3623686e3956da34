import type { RunningKeycloak } from './start-keycloak.ts';

/** A service account of `master`. */
export interface RealmAccount {
  readonly realm: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Service accounts by what they may do with the clients of the realm. */
export interface RealmAccounts {
  /** May log in and do nothing. */
  readonly powerless: RealmAccount;
  /** Has `query-clients` alone. */
  readonly querying: RealmAccount;
  /** Has `view-clients` alone. */
  readonly viewing: RealmAccount;
}

/** Makes a realm and service accounts with fewer rights than those of `keycloak.credentials`. */
export async function prepareRealm({ url, credentials }: RunningKeycloak, realm: string): Promise<RealmAccounts> {
  const admin = `${url}/admin/realms`;
  await send(admin, await tokenHeaders({ url, credentials }), { realm, enabled: true });
  // A token does not know realms that were made after it.
  const headers = await tokenHeaders({ url, credentials });
  const clientNamed = async (clientId: string) => {
    const found = (await send(`${admin}/master/clients?clientId=${clientId}`, headers)) as { id: string }[];
    return found[0]?.id ?? '';
  };
  const account = async (clientId: string, ...roles: readonly string[]): Promise<RealmAccount> => {
    const clientSecret = `secret of ${clientId}`;
    const client = { clientId, secret: clientSecret, serviceAccountsEnabled: true, publicClient: false };
    await send(`${admin}/master/clients`, headers, client);
    const id = await clientNamed(clientId);
    const user = (await send(`${admin}/master/clients/${id}/service-account-user`, headers)) as { id: string };
    const ofRealm = await clientNamed(`${realm}-realm`);
    for (const role of roles) {
      const whole = await send(`${admin}/master/clients/${ofRealm}/roles/${role}`, headers);
      await send(`${admin}/master/users/${user.id}/role-mappings/clients/${ofRealm}`, headers, [whole]);
    }
    return { realm: 'master', clientId, clientSecret };
  };
  return {
    powerless: await account('powerless'),
    querying: await account('querying', 'query-clients'),
    viewing: await account('viewing', 'view-clients'),
  };
}

async function tokenHeaders({ url, credentials }: Pick<RunningKeycloak, 'url' | 'credentials'>) {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const path = '/realms/master/protocol/openid-connect/token';
  const { access_token: token } = (await send(`${url}${path}`, headers, form.toString())) as { access_token: string };
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
}

/** GET without a body, POST with one. */
async function send(url: string, headers: Record<string, string>, body?: string | object): Promise<unknown> {
  const method = body === undefined ? 'GET' : 'POST';
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const response = await fetch(url, { method, headers, ...(text !== undefined && { body: text }) });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} was answered ${response.status}: ${answer}`);
  return answer === '' ? undefined : JSON.parse(answer);
}
