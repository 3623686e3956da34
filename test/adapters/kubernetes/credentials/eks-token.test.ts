import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type AwsCredentials, eksToken } from '../../../../lib/adapters/kubernetes/credentials/eks-token.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const credentials: AwsCredentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'session/token+with=signs',
};
const signedAt = Date.UTC(2026, 10, 29, 12, 34, 56);

function setup(fields: { credentials?: () => Promise<AwsCredentials>; region?: string } = {}) {
  const clock = new ManualClock(signedAt);
  const source = eksToken({
    clusterName: 'prod-eu',
    region: 'eu-central-1',
    credentials: async () => credentials,
    clock,
    ...fields,
  });
  return { clock, source };
}

function urlOf(token: string): URL {
  expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
  return new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString('utf8'));
}

/** The signature by the steps of the AWS documentation (IAM user guide, "Create a signed AWS API request"). */
function signatureOf(url: URL, headers: string): string {
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const query = url.search
    .slice(1)
    .split('&')
    .filter((pair) => !pair.startsWith('X-Amz-Signature='))
    .sort()
    .join('&');
  const canonical = `GET\n/\n${query}\n${headers}\nhost;x-k8s-aws-id\n${hash('')}`;
  const scope = '20261129/eu-central-1/sts/aws4_request';
  const toSign = `AWS4-HMAC-SHA256\n20261129T123456Z\n${scope}\n${hash(canonical)}`;
  const key = scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${credentials.secretAccessKey}`);
  return hmac(key, toSign).toString('hex');
}

describe('R-5.16 a token for EKS', () => {
  it('the token is a presigned GetCallerIdentity of the region, bound to the cluster and valid for 60 s', async () => {
    const url = urlOf(await setup().source.current());
    expect(url.origin + url.pathname).toBe('https://sts.eu-central-1.amazonaws.com/');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIDEXAMPLE/20261129/eu-central-1/sts/aws4_request',
      'X-Amz-Date': '20261129T123456Z',
      'X-Amz-Expires': '60',
      'X-Amz-Security-Token': credentials.sessionToken,
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
      'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('the token is signed as AWS documents it, with the cluster name among the headers', async () => {
    const url = urlOf(await setup().source.current());
    const headers = 'host:sts.eu-central-1.amazonaws.com\nx-k8s-aws-id:prod-eu\n';
    expect(url.searchParams.get('X-Amz-Signature')).toBe(signatureOf(url, headers));
  });

  it('the token is for the STS of China when the region is there', async () => {
    const url = urlOf(await setup({ region: 'cn-north-1' }).source.current());
    expect(url.host).toBe('sts.cn-north-1.amazonaws.com.cn');
  });

  it('the token is signed again before it is 15 minutes old', async () => {
    const { source, clock } = setup();
    const first = await source.current();
    clock.jump(12 * 60_000);
    await expect(source.current()).resolves.toBe(first);
    clock.jump(2 * 60_000);
    const second = urlOf(await source.current());
    expect(second.searchParams.get('X-Amz-Date')).toBe('20261129T124856Z');
  });

  it('the token is signed again when the credentials that signed it expire', async () => {
    const { source, clock } = setup({
      credentials: async () => ({ ...credentials, expiration: new Date(signedAt + 60_000) }),
    });
    const first = await source.current();
    clock.jump(59_000);
    await expect(source.current()).resolves.toBe(first);
    clock.jump(1_000);
    await expect(source.current()).resolves.not.toBe(first);
  });

  it.each([
    ['15 minutes after its signing', undefined, 15 * 60_000],
    ['with the credentials that signed it', signedAt + 14 * 60_000, 14 * 60_000],
  ])('R-5.7 the token stays in use without credentials until it expires: %s', async (_, expiresAtMs, lifeMs) => {
    let lacking = false;
    const { source, clock } = setup({
      credentials: async () => {
        if (lacking) throw new Error('no role');
        return { ...credentials, ...(expiresAtMs !== undefined && { expiration: new Date(expiresAtMs) }) };
      },
    });
    const first = await source.current();
    lacking = true;
    clock.jump(lifeMs - 1);
    await expect(source.current()).resolves.toBe(first);
    clock.jump(1);
    await expect(source.current()).rejects.toMatchObject({ code: 'CREDENTIALS_UNAVAILABLE' });
  });

  it('R-6.4 the error names the cluster that lacks credentials', async () => {
    const cause = new Error('no role');
    const { source } = setup({ credentials: () => Promise.reject(cause) });
    await expect(source.current()).rejects.toMatchObject({
      code: 'CREDENTIALS_UNAVAILABLE',
      message: expect.stringContaining('the EKS cluster prod-eu'),
      cause,
    });
  });
});
