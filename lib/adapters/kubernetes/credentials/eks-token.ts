import { Sha256 } from '@smithy/core/checksum';
import { escapeUri } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Clock } from '../../../ports/clock.ts';
import { CachedToken, type FetchedToken } from './cached-token.ts';
import { CredentialsError, type TokenSource } from './token-source.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

export interface EksTokenOptions {
  /** The EKS cluster's name: the token is valid for this cluster only. */
  readonly clusterName: string;
  readonly region: string;
  /** The credentials provider of the AWS SDK; it renews the credentials itself. */
  readonly credentials: () => Promise<AwsCredentials>;
  readonly clock: Clock;
}

/** EKS accepts a token for 15 minutes after its signing. The expiry in the URL does not matter. */
const EXPIRES_AFTER_MS = 15 * 60_000;
const REFRESH_AFTER_MS = 13 * 60_000;
const URL_EXPIRES_SECONDS = 60;
const TOKEN_PREFIX = 'k8s-aws-v1.';

/**
 * A token for EKS: a presigned STS GetCallerIdentity request that names the cluster, as `aws eks get-token` creates it
 * (github.com/kubernetes-sigs/aws-iam-authenticator, "API Authorization from Outside a Cluster"). No request is sent to
 * STS. The token is created again before it is 15 minutes old, and before the credentials that signed it expire.
 */
export function eksToken(options: EksTokenOptions): TokenSource {
  return new CachedToken('eks', options.clock, async () => sign(options, await resolveCredentials(options)));
}

async function resolveCredentials({ credentials, clusterName }: EksTokenOptions): Promise<AwsCredentials> {
  try {
    return await credentials();
  } catch (error) {
    throw new CredentialsError(
      `no AWS credentials could be had to sign the token for the EKS cluster ${clusterName}. Check the function's role.`,
      { cause: error },
    );
  }
}

async function sign(options: EksTokenOptions, credentials: AwsCredentials): Promise<FetchedToken> {
  const { clusterName, region, clock } = options;
  const signer = new SignatureV4({ service: 'sts', region, credentials, sha256: Sha256 });
  const hostname = `sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const signedAtMs = clock.now();
  const signed = await signer.presign(
    {
      method: 'GET',
      protocol: 'https:',
      hostname,
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host: hostname, 'x-k8s-aws-id': clusterName },
    },
    { signingDate: new Date(signedAtMs), expiresIn: URL_EXPIRES_SECONDS },
  );
  const query = Object.entries(signed.query ?? {}).map(([name, value]) => `${name}=${escapeUri(String(value))}`);
  const url = `https://${hostname}/?${query.join('&')}`;
  const credentialsEndInMs = (credentials.expiration?.getTime() ?? Infinity) - signedAtMs;
  return {
    token: TOKEN_PREFIX + Buffer.from(url).toString('base64url'),
    refreshInMs: Math.min(REFRESH_AFTER_MS, credentialsEndInMs),
    expiresInMs: Math.min(EXPIRES_AFTER_MS, credentialsEndInMs),
  };
}
