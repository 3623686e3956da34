import { stringify } from 'yaml';

/** Where the embedded API server is, and what it asks of every request. */
export interface ServedApi {
  readonly url: string;
  readonly token: string;
}

/** A kubeconfig for the embedded API server. It holds the server's token: its file is for this user alone. */
export function kubeconfigText({ url, token }: ServedApi): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'evenkeel', cluster: { server: withToken(url, token) } }],
    users: [{ name: 'evenkeel', user: { token } }],
    contexts: [{ name: 'evenkeel', context: { cluster: 'evenkeel', user: 'evenkeel', namespace: 'default' } }],
    'current-context': 'evenkeel',
  });
}

/** Over plain HTTP kubectl leaves the user's token out, and sends what stands in the URL of the server. */
function withToken(url: string, token: string): string {
  const server = new URL(url);
  if (server.protocol !== 'http:') return url;
  server.username = 'evenkeel';
  server.password = token;
  return server.href.replace(/\/$/, '');
}
