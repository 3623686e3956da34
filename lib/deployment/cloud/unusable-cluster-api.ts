import type { EvenkeelError } from '../../core/errors.ts';
import { ApiError, type ClusterApi } from '../../ports/cluster-api.ts';

/**
 * Stands for a cluster whose parameter cannot be used: every call fails as on a cluster that does not answer. So its
 * passes are put off like those of a dead cluster, and no message of it is given up.
 */
export function unusableClusterApi(fault: EvenkeelError): ClusterApi {
  const refuse = () => new ApiError('Unreachable', fault.message, { cause: fault });
  const reject = async () => {
    throw refuse();
  };
  return {
    get: reject,
    list: reject,
    // biome-ignore lint/correctness/useYield: a watch that fails before its first event
    async *watch() {
      throw refuse();
    },
    create: reject,
    patch: reject,
    delete: reject,
  };
}
