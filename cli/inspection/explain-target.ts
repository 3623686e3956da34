import { ItemError } from '../../lib/core/errors.ts';
import { kindId } from '../../lib/core/resource-type.ts';
import type { TargetState } from '../../lib/ports/state-store.ts';
import { type Explanation, explain } from './explanation.ts';
import type { Inspection } from './inspection.ts';
import { findTargets, readPolls } from './read-targets.ts';
import type { TargetName } from './target-name.ts';

/** What is known of an object, by UID, the one with the latest pass first; empty when nothing is. */
export async function explainTarget(inspection: Inspection, name: TargetName): Promise<Explanation[]> {
  const { store, cluster } = inspection;
  const targets = await findTargets(store, cluster, name);
  if (targets.length === 0) return [];
  for (const { unreadable } of targets) if (unreadable !== undefined) throw new ItemError(unreadable);
  const [clusterState, checkpoint] = await Promise.all([
    store.readCluster(cluster),
    store.readCheckpoint(cluster, kindId(name.type)),
  ]);
  return await Promise.all(
    targets.map(async (target) =>
      explain({
        target,
        cluster: clusterState,
        checkpoint,
        polls: await pollsOf(inspection, target),
        shownValues: inspection.registry.controllerOf(target.target.kind)?.shownValues ?? [],
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
