import { stringify } from 'yaml';

/** Where the embedded API server is, what its clients check it by, and what it asks of every request. */
export interface ServedApi {
  readonly url: string;
  /** PEM; absent where it serves without TLS, which not every client takes. */
  readonly certificateAuthority?: string;
  readonly token: string;
}

/** A kubeconfig for the embedded API server. It holds the server's token: its file is for this user alone. */
export function kubeconfigText({ url, certificateAuthority, token }: ServedApi): string {
  const authority = certificateAuthority && Buffer.from(certificateAuthority).toString('base64');
  const cluster = { server: url, ...(authority !== undefined && { 'certificate-authority-data': authority }) };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'evenkeel', cluster }],
    users: [{ name: 'evenkeel', user: { token } }],
    contexts: [{ name: 'evenkeel', context: { cluster: 'evenkeel', user: 'evenkeel', namespace: 'default' } }],
    'current-context': 'evenkeel',
  });
}
