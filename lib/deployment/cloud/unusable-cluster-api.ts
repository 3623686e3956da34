import type { EvenkeelError } from '../../core/errors.ts';
import { ApiError, type ClusterApi } from '../../ports/cluster-api.ts';

/**
 * Replaces a cluster whose parameter cannot be used. Every call fails like a call to a cluster that does not answer. So
 * the cluster's passes are put off, and none of its messages becomes a dead letter.
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
