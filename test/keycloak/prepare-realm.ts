import type { RunningKeycloak } from './start-keycloak.ts';

/** Makes a realm, and a service account of `master` that may log in and do nothing. */
export async function prepareRealm(
  { url, credentials }: RunningKeycloak,
  realm: string,
): Promise<{ realm: string; clientId: string; clientSecret: string }> {
  const powerless = { realm: 'master', clientId: 'powerless', clientSecret: 'powerless-secret' };
  const { access_token: token } = (await send(`${url}/realms/master/protocol/openid-connect/token`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
    }).toString(),
  })) as { access_token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await send(`${url}/admin/realms`, { headers, body: JSON.stringify({ realm, enabled: true }) });
  const account = {
    clientId: powerless.clientId,
    secret: powerless.clientSecret,
    serviceAccountsEnabled: true,
    publicClient: false,
  };
  await send(`${url}/admin/realms/master/clients`, { headers, body: JSON.stringify(account) });
  return powerless;
}

async function send(url: string, options: { headers: Record<string, string>; body: string }): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', ...options });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${url} was answered ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
