import { isInUse, useText } from '../../lib/deployment/kubernetes/cluster-use.ts';
import type { ClusterUse } from '../../lib/ports/cluster-use-store.ts';
import { type Diagnosis, note } from './diagnosis.ts';

/** Names the clusters that were taken out of a stage and still have something of it. @param registered the names of the others. */
export function examineUses(stage: string, registered: readonly string[], uses: readonly ClusterUse[]): Diagnosis[] {
  return uses
    .filter((use) => isInUse(use) && !registered.includes(use.cluster))
    .map((use) =>
      note(
        use.cluster,
        `it is not registered any more and has ${useText(use)}, which nobody removes once the stage is gone`,
        `Run evenkeel uninstall --context CONTEXT --stage ${stage} --cluster ${use.cluster}. If the cluster is gone: evenkeel cluster remove ${use.cluster} --stage ${stage} --forgo`,
      ),
    );
}
