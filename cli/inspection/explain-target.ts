import { ItemError } from '../../lib/core/errors.ts';
import { kindId, type ResourceType } from '../../lib/core/resource-type.ts';
import type { TargetState } from '../../lib/ports/state-store.ts';
import { type Explanation, explain } from './explanation.ts';
import { groupHolder } from './group-holder.ts';
import type { Inspection } from './inspection.ts';
import { findTargets, readPolls } from './read-targets.ts';
import type { TargetName } from './target-name.ts';

/**
 * What is known about an object: one entry for each UID, the one with the latest pass first. Empty when nothing is
 * known.
 */
export async function explainTarget(inspection: Inspection, name: TargetName): Promise<Explanation[]> {
  return await explainFound(inspection, name.type, await findTargets(inspection.store, inspection.cluster, name));
}

/** The same for items that were read already. @param type the kind of all of them. */
export async function explainFound(
  inspection: Inspection,
  type: ResourceType,
  targets: readonly TargetState[],
): Promise<Explanation[]> {
  const { store, cluster } = inspection;
  if (targets.length === 0) return [];
  for (const { unreadable } of targets) if (unreadable !== undefined) throw new ItemError(unreadable);
  const controller = inspection.registry.controllerOf(kindId(type));
  const [clusterState, checkpoint, drivenBy] = await Promise.all([
    store.readCluster(cluster),
    store.readCheckpoint(cluster, kindId(type)),
    controller && groupHolder(inspection, controller.group),
  ]);
  return await Promise.all(
    targets.map(async (target) =>
      explain({
        target,
        cluster: clusterState,
        checkpoint,
        polls: await pollsOf(inspection, target),
        shownValues: controller?.shownValues ?? [],
        controller: controller?.name,
        drivenBy,
        nowMs: inspection.clock.now(),
        settings: inspection.settings,
      }),
    ),
  );
}

function pollsOf({ registry, store }: Inspection, target: TargetState) {
  const controller = registry.controllerOf(target.target.kind);
  if (controller === undefined) return Promise.resolve(new Map());
  const mayBePolled = (kind: string) => {
    const mode = registry.readKind(controller, kind)?.mode;
    return mode === 'poll' || mode === 'watch-labelled';
  };
  return readPolls(store, target, controller.group, mayBePolled);
}
