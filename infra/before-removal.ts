import { StageError } from './stage.ts';

/**
 * Refuses to remove a stage that still has clusters. Their objects have finalizers that nobody would remove later, and
 * their Leases keep other deployments out.
 * @param clusters the names of the registered ones.
 * @throws StageError with what to do first.
 */
export function checkRemovable(stage: string, clusters: readonly string[]): void {
  if (clusters.length === 0) return;
  throw new StageError([
    `stage ${stage} still has ${clusters.length === 1 ? 'the cluster' : 'the clusters'} ${clusters.join(', ')}, whose objects may have finalizers and Leases of evenkeel. For each: delete the objects that are to be cleaned up; delete the SSM parameter (aws ssm delete-parameter --name /evenkeel/${stage}/clusters/NAME); run npx evenkeel uninstall --context CONTEXT. Then remove the stage. A cluster that is gone needs only the parameter deleted.`,
  ]);
}
