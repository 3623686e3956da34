import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { kubeconfigText } from '../../../cli/local/kubeconfig-text.ts';

describe('R-6.2 the kubeconfig of the embedded API server', () => {
  it('holds the server, its authority and its token', () => {
    const served = { url: 'https://127.0.0.1:7', certificateAuthority: 'PEM', token: 'tk' };
    expect(parse(kubeconfigText(served))).toMatchObject({
      clusters: [
        { name: 'evenkeel', cluster: { server: 'https://127.0.0.1:7', 'certificate-authority-data': 'UEVN' } },
      ],
      users: [{ name: 'evenkeel', user: { token: 'tk' } }],
      contexts: [{ name: 'evenkeel', context: { cluster: 'evenkeel', user: 'evenkeel', namespace: 'default' } }],
      'current-context': 'evenkeel',
    });
  });
});
