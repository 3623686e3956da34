import { stringify } from 'yaml';

/** Where the embedded API server is, and what its clients check it by. */
export interface ServedApi {
  readonly url: string;
  /** PEM; absent where it serves without TLS, which not every client takes. */
  readonly certificateAuthority?: string;
  /** What it asks of every request; absent where it asks for nothing. */
  readonly token?: string;
}

/** For a server that asks for none: kubectl prompts for a password where a server of TLS has a user without credentials. */
const ANY_TOKEN = 'none';

/** A kubeconfig for the embedded API server. */
export function kubeconfigText({ url, certificateAuthority, token = ANY_TOKEN }: ServedApi): string {
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
