import { kindId } from '../../lib/core/resource-type.ts';
import { rfc3339 } from '../inspection/explanation.ts';
import { groupHolder } from '../inspection/group-holder.ts';
import type { ClusterView } from './api-types.ts';
import type { ConsoleReads } from './console-reads.ts';
import { clusterSummary } from './overview.ts';

/** The view of the cluster: the deployments that drive it, and its watches. */
export async function viewCluster({ source, frame }: ConsoleReads): Promise<ClusterView> {
  const { inspection } = source;
  const { store, cluster, kinds, registry } = inspection;
  const [state, groups, watches] = await Promise.all([
    store.readCluster(cluster),
    Promise.all(
      registry.groups().map(async (group) => {
        const drivenBy = await groupHolder(inspection, group);
        return { group, ...(drivenBy !== undefined && { drivenBy }) };
      }),
    ),
    Promise.all(
      kinds.map(async ({ type }) => {
        const checkpoint = await store.readCheckpoint(cluster, kindId(type));
        return {
          kind: type.kind,
          kindId: kindId(type),
          ...(checkpoint !== undefined && {
            version: checkpoint.resourceVersion,
            heardAt: rfc3339(checkpoint.heartbeatMs),
          }),
        };
      }),
    ),
  ]);
  return { ...frame(), clusterState: clusterSummary(state, inspection), groups, watches };
}
