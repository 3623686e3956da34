import { describe, expect, it } from 'vitest';
import type { ClusterConnection } from '../../../../lib/adapters/kubernetes/connection/cluster-connection.ts';
import { validateCloudConnection } from '../../../../lib/adapters/kubernetes/connection/validate-cloud-connection.ts';
import { type CredentialSource, staticToken } from '../../../../lib/adapters/kubernetes/credentials/token-source.ts';

const good: ClusterConnection = {
  server: 'https://api.prod.example:6443',
  certificateAuthority: 'PEM',
  token: staticToken('t'),
};
const plugin: CredentialSource = { current: async () => ({ token: 't' }), refused: () => undefined };

describe('R-5.16 a cloud deployment', () => {
  it('a cloud deployment accepts https with a certificate authority, and checks resolved addresses after that', () => {
    expect(validateCloudConnection(good)).toEqual({ ...good, refuseLocalAddresses: true });
    for (const server of [
      'https://10.0.3.7',
      'https://[fd12:3456::1]:443',
      'https://ABCDEF.gr7.eu-west-1.eks.amazonaws.com',
    ]) {
      expect(() => validateCloudConnection({ ...good, server })).not.toThrow();
    }
  });

  it.each<[string, Partial<ClusterConnection>, RegExp]>([
    [
      'http',
      { server: 'http://api.prod.example' },
      /http:\/\/api\.prod\.example is not reached by https\. Give an https/,
    ],
    ['no URL', { server: 'api.prod.example' }, /its server is not a URL/],
    ['a password in the URL', { server: 'https://admin:SECRET@api.prod.example' }, /holds a user name or password/],
    ['no certificate authority', { certificateAuthority: ' ' }, /has no certificate authority/],
    ['skipped verification', { insecureSkipTlsVerify: true }, /skips the check .* Remove insecure-skip-tls-verify/],
    ['a credential plugin', { plugin }, /runs a credential plugin\. Use a service account token/],
    ...['http://proxy.test:3128', 'https://SECRET:SECRET@proxy.test', 'http://127.0.0.1:3128'].map(
      (proxy): [string, Partial<ClusterConnection>, RegExp] => [
        `the proxy ${proxy}`,
        { proxy },
        /goes through a proxy \(proxy-url\)\. Remove it: a cloud deployment connects to the API server itself/,
      ],
    ),
    ...[
      'localhost',
      'LOCALHOST.',
      'api.localhost:6443',
      '127.0.0.1',
      '127.9.9.9:6443',
      '2130706433',
      '0x7f.1',
      '0.0.0.0',
      '169.254.169.254',
      '169.254.170.2',
      '100.100.100.200',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:a9fe:a9fe]',
      '[64:ff9b::169.254.169.254]',
      '[2002:7f00:1::]',
      '[fe80::1]',
      '[fd00:ec2::254]',
      '255.255.255.255',
      '224.0.0.1',
    ].map((host): [string, Partial<ClusterConnection>, RegExp] => [
      host,
      { server: `https://${host}` },
      /is a loopback, link-local or metadata address/,
    ]),
  ])('a cloud deployment refuses %s, and says so', (_, fields, message) => {
    let error: unknown;
    try {
      validateCloudConnection({ ...good, ...fields });
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ code: 'CLOUD_CONNECTION_REFUSED', message: expect.stringMatching(message) });
    expect((error as Error).message).not.toContain('SECRET');
  });
});
