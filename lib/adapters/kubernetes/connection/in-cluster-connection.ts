import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { EvenkeelError } from '../../../core/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import { errorCode } from '../../http/transport-failure.ts';
import { readTextFile } from '../../system/read-text-file.ts';
import { tokenFile } from '../credentials/token-file.ts';
import type { ClusterConnection } from './cluster-connection.ts';

export interface InClusterOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Where the service account is mounted. */
  readonly directory?: string;
}

const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The connection of a pod to its own cluster (kubernetes.io/docs/tasks/run-application/access-api-from-pod). The token
 * file is read again regularly, because the kubelet renews it.
 * @throws EvenkeelError IN_CLUSTER_UNAVAILABLE outside a pod, or in one without a service account token.
 */
export async function inClusterConnection(options: InClusterOptions): Promise<ClusterConnection> {
  const { environment, clock, directory = SERVICE_ACCOUNT_DIRECTORY } = options;
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = environment;
  if (host === '' || port === '') {
    throw unavailable(
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, so this is no pod. Use a kubeconfig',
    );
  }
  const caFile = join(directory, 'ca.crt');
  let certificateAuthority: string;
  try {
    certificateAuthority = await readTextFile(caFile);
  } catch (error) {
    throw unavailable(
      `${caFile} cannot be read (${errorCode(error) ?? 'unknown error'}). Let the pod mount its service account token`,
      error,
    );
  }
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    certificateAuthority,
    token: tokenFile(join(directory, 'token'), clock),
  };
}

function unavailable(message: string, cause?: unknown): EvenkeelError {
  return new EvenkeelError('IN_CLUSTER_UNAVAILABLE', `no connection to the own cluster: ${message}.`, { cause });
}
