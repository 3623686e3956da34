import { EvenkeelError } from '../../core/errors.ts';
import { AnotherClusterError } from '../../engine/cluster-identity/another-cluster-error.ts';
import { type ApiErrorReason, isApiError } from '../../ports/cluster-api.ts';
import { type KubeconfigContext, kubectlCommand, shellWord } from './kubectl-command.ts';

/** The address of a cluster, and the user for it. */
export interface ClusterPlace extends KubeconfigContext {
  readonly server: string;
  /** The context sends no credentials: it names no user, or a user without credentials. */
  readonly isAnonymous: boolean;
}

/** The error for a cluster that failed a command, with its address and what to check. */
export function clusterUnusable(error: unknown, place: ClusterPlace): unknown {
  if (!isApiError(error)) return error;
  const { context, server } = place;
  if (error instanceof AnotherClusterError) {
    return new EvenkeelError('CLUSTER_IDENTITY_MISMATCH', `context ${context} (${server}): ${error.message}`, {
      cause: error,
    });
  }
  return new EvenkeelError(
    'CLUSTER_UNUSABLE',
    `context ${context} (${server}): ${error.message.replace(/\.$/, '')}. ${advice(error.reason, place)}`,
    { cause: error, data: { reason: error.reason } },
  );
}

function advice(reason: ApiErrorReason, place: ClusterPlace): string {
  const kubectl = kubectlCommand(place);
  if (reason === 'TooManyRequests' || reason === 'ServerError') return 'Try again later.';
  // A server with TLS closes such a connection, or sends an answer that is not from an API server.
  if (!/^https:/i.test(place.server)) {
    return `It is asked by http: without TLS, and so without credentials. If it speaks TLS, begin the server in ${place.file} with https://. Does ${kubectl} version reach it?`;
  }
  const isRefused = reason === 'Unauthorized' || reason === 'Forbidden';
  if (isRefused && place.isAnonymous) {
    return `No credentials were sent, for context ${place.context} names no user with any. Set one with: ${kubectl} config set-context ${shellWord(place.context)} --user NAME`;
  }
  switch (reason) {
    case 'Unreachable':
    case 'Timeout':
      return `Does the server run, and does ${kubectl} version reach it?`;
    case 'Unauthorized':
      return `Its credentials were refused. Renew them until ${kubectl} auth whoami works.`;
    case 'Forbidden':
      return 'Use a user with the roles of infra/kubernetes/roles, and for --install-crds one that may write CRDs and namespaces.';
    default:
      return `See what ${kubectl} get --raw /version answers.`;
  }
}
