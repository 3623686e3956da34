import type { Controller } from '../../lib/core/controller.ts';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { Namespaces } from '../../lib/core/resource-type.ts';
import { isInUse, readClusterUse, useText } from '../../lib/deployment/kubernetes/cluster-use.ts';
import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';
import type { ClusterApi } from '../../lib/ports/cluster-api.ts';
import type { SchemaDigests } from '../../lib/ports/schema-digests.ts';
import type { StageTools } from './cluster-tools.ts';

/** A stage, and the name that the left cluster has in it. */
export interface LeftStage extends Pick<StageTools, 'stage' | 'uses' | 'store' | 'stack'>, AsyncDisposable {
  readonly name: string;
}

/**
 * Prepares to forget a cluster in the stage that reconciled it. Nothing is changed yet.
 * @returns `forget`, which reads the cluster again and removes its record when nothing of the stage is left. It returns the exit code.
 * @throws EvenkeelError OTHER_CLUSTER when the stage knows another cluster by this name.
 */
export async function checkLeft(
  { stage, name, uses, store, stack }: LeftStage,
  cluster: { readonly api: ClusterApi; readonly schemas: SchemaDigests },
  controllers: readonly Controller[],
): Promise<{ forget(terminal: Terminal): Promise<number> }> {
  const { clusterUid } = await store.readCluster(name);
  const found = await cluster.api.get(Namespaces, { namespace: '', name: 'kube-system' }, { metadataOnly: true });
  if (clusterUid !== found.metadata.uid) {
    const known = clusterUid === undefined ? 'no cluster of this name' : `the cluster with the UID ${clusterUid}`;
    throw new EvenkeelError(
      'OTHER_CLUSTER',
      `stage ${stage} knows ${known}, and the UID of kube-system is ${found.metadata.uid}. Nothing was changed. Check --context and --cluster.`,
    );
  }
  return {
    forget: async (terminal) => {
      const recorded = await uses.read(name);
      if (recorded === undefined) {
        terminal.out(`stage ${stage} has no record of cluster ${name} any more`);
        return 0;
      }
      // Every deployment counts when the stack does not say what Leases call it.
      const deployment = (await stack.describe())?.outputs.Deployment;
      const use = await readClusterUse(cluster, { deployment, controllers, scope: {} }, recorded);
      if (isInUse(use)) {
        terminal.err(
          `evenkeel: cluster ${name} still has ${useText(use)}, and stage ${stage} keeps its record. Name its own controllers by --controllers, or run evenkeel cluster remove ${name} --stage ${stage} --forgo.`,
        );
        return 1;
      }
      await uses.forget(name);
      terminal.out(`stage ${stage} has no record of cluster ${name} any more`);
      return 0;
    },
  };
}
