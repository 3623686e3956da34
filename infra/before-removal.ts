import { isInUse, useText } from '../lib/deployment/kubernetes/cluster-use.ts';
import type { StageUses } from '../lib/deployment/wiring-stage-uses.ts';
import { StageError } from './stage.ts';

/**
 * Refuses to remove a stage as long as a cluster is registered, or still has a finalizer or a Lease of the stage. Nobody would
 * remove these finalizers later, and the Leases keep other deployments out.
 * @param modules the files of the stage's own controllers.
 * @throws StageError with a line for each cluster: what it has, and the commands that end it.
 */
export function checkRemovable(stage: string, { registered, uses }: StageUses, modules: readonly string[] = []): void {
  const inUse = new Map(uses.filter(isInUse).map((use) => [use.cluster, useText(use)]));
  const clusters = [...new Set([...registered, ...inUse.keys()])].sort();
  if (clusters.length === 0) return;
  throw new StageError([
    `stage ${stage} cannot be removed yet: it still has ${clusters.length === 1 ? 'the cluster' : 'the clusters'} ${clusters.join(', ')}`,
    ...clusters.map((name) =>
      line({ stage, name, isRegistered: registered.includes(name), has: inUse.get(name), modules }),
    ),
  ]);
}

interface ClusterOfStage {
  readonly stage: string;
  readonly name: string;
  readonly isRegistered: boolean;
  /** What it has of the stage; undefined when nothing is recorded. */
  readonly has: string | undefined;
  readonly modules: readonly string[];
}

function line({ stage, name, isRegistered, has, modules }: ClusterOfStage): string {
  const remove = `npx evenkeel cluster remove ${name} --stage ${stage}`;
  const own = modules.map((file) => ` --controllers ${file}`).join('');
  const uninstall = `npx evenkeel uninstall --context CONTEXT --stage ${stage} --cluster ${name}${own}`;
  const state = [...(isRegistered ? ['it is registered'] : []), ...(has === undefined ? [] : [`it has ${has}`])];
  const steps = isRegistered
    ? `Delete the objects that are to be cleaned up, run ${remove}, then ${uninstall}`
    : `Run ${uninstall}`;
  return `cluster ${name}: ${state.join(', and ')}. ${steps}. If the cluster is gone: ${remove} --forgo`;
}
