import type { ApiServer } from './connect-api-server.ts';

/**
 * Makes a service account and resolves with a token for it, which the API server signs itself. It may do nothing until
 * a binding names it: `{kind: 'ServiceAccount', namespace, name}`.
 */
export async function serviceAccountToken(server: ApiServer, namespace: string, name: string): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await server.expectOk({ method: 'POST', path: accounts, body: { metadata: { name } } });
  const issued = await server.expectOk({
    method: 'POST',
    path: `${accounts}/${name}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } },
  });
  return issued.json<{ status: { token: string } }>().status.token;
}
