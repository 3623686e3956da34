import { stringify } from 'yaml';

/** A kubeconfig for the embedded API server, which asks nobody who they are and listens on 127.0.0.1 alone. */
export function kubeconfigText(server: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'evenkeel', cluster: { server } }],
    users: [{ name: 'evenkeel', user: {} }],
    contexts: [{ name: 'evenkeel', context: { cluster: 'evenkeel', user: 'evenkeel', namespace: 'default' } }],
    'current-context': 'evenkeel',
  });
}
