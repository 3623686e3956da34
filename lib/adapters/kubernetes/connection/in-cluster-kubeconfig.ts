import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { EvenkeelError } from '../../../core/errors.ts';
import { errorCode } from '../../http/transport-failure.ts';
import { readTextFile } from '../../system/read-text-file.ts';

export interface InClusterOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the service account is mounted. */
  readonly directory?: string;
}

/** How a pod reaches its own cluster. */
export interface InClusterKubeconfig {
  /** It names the mounted files and holds no credential: the token is read again when the kubelet renews it. */
  readonly text: string;
  readonly context: string;
  /** The namespace of the pod. */
  readonly namespace: string;
}

const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';
const NAME = 'in-cluster';

/**
 * A kubeconfig for the cluster that this pod runs in (kubernetes.io/docs/tasks/run-application/access-api-from-pod).
 * @throws EvenkeelError IN_CLUSTER_UNAVAILABLE outside a pod, or in one without a service account token.
 */
export async function inClusterKubeconfig({
  environment,
  directory = SERVICE_ACCOUNT_DIRECTORY,
}: InClusterOptions): Promise<InClusterKubeconfig> {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = environment;
  if (host === '' || port === '') {
    throw unavailable(
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, so this is no pod. Use a kubeconfig',
    );
  }
  const read = async (name: string) => {
    const file = join(directory, name);
    try {
      return await readTextFile(file);
    } catch (error) {
      throw unavailable(
        `${file} cannot be read (${errorCode(error) ?? 'unknown error'}). Let the pod mount its service account token`,
        error,
      );
    }
  };
  const [namespace] = await Promise.all([read('namespace'), read('ca.crt'), read('token')]);
  const cluster = {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    'certificate-authority': join(directory, 'ca.crt'),
  };
  const text = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: NAME, cluster }],
    users: [{ name: NAME, user: { tokenFile: join(directory, 'token') } }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME, namespace: namespace.trim() } }],
    'current-context': NAME,
  });
  return { text, context: NAME, namespace: namespace.trim() };
}

function unavailable(message: string, cause?: unknown): EvenkeelError {
  return new EvenkeelError('IN_CLUSTER_UNAVAILABLE', `no connection to the own cluster: ${message}.`, { cause });
}
