import type { ClusterConnection } from '../adapters/kubernetes/connection/cluster-connection.ts';
import { validateCloudConnection } from '../adapters/kubernetes/connection/validate-cloud-connection.ts';
import { type EksTokenOptions, eksToken } from '../adapters/kubernetes/credentials/eks-token.ts';
import { secretToken } from '../adapters/kubernetes/credentials/secret-token.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecretStore } from '../ports/secret-store.ts';
import { type ClusterIdentity, clusterTokenSecret } from './cloud/cloud-names.ts';
import type { ClusterParameter } from './cloud/cluster-parameter.ts';
import { mayReachThisMachine } from './cloud/emulator.ts';

export interface CloudConnectionOptions {
  readonly stage: string;
  readonly identity: ClusterIdentity;
  readonly secrets: SecretStore;
  /** For clusters with IAM authentication. */
  readonly credentials: EksTokenOptions['credentials'];
  /** The endpoint of AWS, when it is not AWS' own. */
  readonly awsEndpoint: string | undefined;
  readonly clock: Clock;
}

/** The connection of an identity of a deployment to a cluster. @throws EvenkeelError CLOUD_CONNECTION_REFUSED */
export function cloudConnection(
  { name, server, certificateAuthority, tlsServerName, auth }: ClusterParameter,
  { stage, identity, secrets, credentials, awsEndpoint, clock }: CloudConnectionOptions,
): ClusterConnection {
  const token =
    auth.type === 'token'
      ? secretToken(secrets, clusterTokenSecret(stage, name, identity), clock)
      : eksToken({ clusterName: auth.clusterName, region: auth.region, credentials, clock });
  const connection: ClusterConnection = {
    server,
    certificateAuthority,
    ...(tlsServerName !== undefined && { tlsServerName }),
    token,
  };
  return mayReachThisMachine(stage, awsEndpoint) ? connection : validateCloudConnection(connection);
}
