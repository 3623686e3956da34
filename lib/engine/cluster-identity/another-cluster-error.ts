import { ApiError } from '../../ports/cluster-api.ts';

/**
 * At the endpoint of the registered cluster, another cluster answers. So the registered one cannot be reached.
 */
export class AnotherClusterError extends ApiError {
  constructor(cluster: string, foundUid: string, registeredUid: string) {
    super(
      'Unreachable',
      `another cluster than the one registered as ${cluster} answers at its endpoint: the UID of kube-system is ${foundUid} there, and ${registeredUid} is registered. Correct the connection; a cluster that was rebuilt on purpose needs another name in the settings.`,
    );
  }
}
