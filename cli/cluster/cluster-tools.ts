import type { ClusterIdentity } from '../../lib/deployment/cloud/cloud-names.ts';
import type { KubeconfigContext } from '../../lib/deployment/kubernetes/kubectl-command.ts';
import type { AccessEntries } from '../../lib/ports/access-entries.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { ClusterAdministration } from '../../lib/ports/cluster-administration.ts';
import type { ClusterApi } from '../../lib/ports/cluster-api.ts';
import type { ClusterUseStore } from '../../lib/ports/cluster-use-store.ts';
import type { DeployedStack } from '../../lib/ports/deployed-stack.ts';
import type { Parameter, ParameterStore } from '../../lib/ports/parameter-store.ts';
import type { ParameterWriter } from '../../lib/ports/parameter-writer.ts';
import type { SecretStore } from '../../lib/ports/secret-store.ts';
import type { SecretWriter } from '../../lib/ports/secret-writer.ts';
import type { ClusterStore } from '../../lib/ports/state-store.ts';

/** A stage in AWS, with the clients of a person who registers its clusters. */
export interface StageTools {
  readonly stage: string;
  /** The region of the stage. */
  readonly region: string;
  readonly parameters: ParameterStore;
  readonly parameterWriter: ParameterWriter;
  readonly secrets: SecretStore;
  readonly secretWriter: SecretWriter;
  /** The access entries of the EKS clusters in a region. */
  accessEntries(region: string): AccessEntries;
  readonly stack: Pick<DeployedStack, 'describe'>;
  readonly store: Pick<ClusterStore, 'readCluster'>;
  /** What the relay recorded of the clusters. */
  readonly uses: Pick<ClusterUseStore, 'read' | 'list' | 'forget'>;
  readonly clock: Clock;
  /** Connects to a cluster with an identity of the stage. @throws EvenkeelError for a parameter that cannot be used. */
  reach(parameter: Parameter, identity: ClusterIdentity): Pick<ClusterApi, 'get'>;
}

/** A cluster in a context of a kubeconfig. */
export interface ContextCluster extends KubeconfigContext {
  readonly api: ClusterApi;
  readonly administration: ClusterAdministration;
  readonly server: string;
  /** PEM; undefined when the context has none. */
  readonly certificateAuthority: string | undefined;
  readonly tlsServerName: string | undefined;
}

/** How a cluster identifies the functions. */
export type ClusterAuth =
  | { readonly type: 'token' }
  | { readonly type: 'eks'; readonly clusterName: string; readonly region: string };
