import { stringify } from 'yaml';

/** The address of the embedded API server, and what its clients need to connect. */
export interface ServedApi {
  readonly url: string;
  /** PEM; absent when it serves without TLS, because not every client accepts the certificate. */
  readonly certificateAuthority?: string;
  readonly token: string;
}

/** A kubeconfig for the embedded API server. It contains the server's token, so only this user may read the file. */
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
