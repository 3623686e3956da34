import { EvenkeelError } from '../../core/errors.ts';
import { AnotherClusterError } from '../../engine/cluster-identity/another-cluster-error.ts';
import { type ApiErrorReason, isApiError } from '../../ports/cluster-api.ts';

/** A cluster that a command needs did not do what was asked, told with where it is and what to look at. */
export function clusterUnusable(error: unknown, where: { readonly context: string; readonly server: string }): unknown {
  if (!isApiError(error)) return error;
  if (error instanceof AnotherClusterError) {
    return new EvenkeelError(
      'CLUSTER_IDENTITY_MISMATCH',
      `context ${where.context} (${where.server}): ${error.message}`,
      { cause: error },
    );
  }
  return new EvenkeelError(
    'CLUSTER_UNUSABLE',
    `context ${where.context} (${where.server}): ${error.message.replace(/\.$/, '')}. ${advice(error.reason, where.context)}`,
    { cause: error, data: { reason: error.reason } },
  );
}

function advice(reason: ApiErrorReason, context: string): string {
  switch (reason) {
    case 'Unreachable':
    case 'Timeout':
      return `Does the server run, and does kubectl --context ${context} version reach it?`;
    case 'Unauthorized':
      return `Its credentials were refused. Renew them until kubectl --context ${context} auth whoami works.`;
    case 'Forbidden':
      return 'Use a user with the roles of infra/kubernetes/roles, and for --install-crds one that may write CRDs and namespaces.';
    case 'TooManyRequests':
    case 'ServerError':
      return 'Try again later.';
    default:
      return `See what kubectl --context ${context} get --raw /version answers.`;
  }
}
