import { DeploymentConflictError, DeploymentHandoverError } from '../../engine/deployment-lease/deployment-error.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import type { Installation } from '../installation/installation.ts';

/**
 * Whether a standby deployment may drive the cluster. It takes over the Lease of a group when nobody has renewed it for
 * 15 minutes, so call this more often than that, in one process. One group is enough, because the passes of the other
 * groups are put off. False when the cluster does not answer.
 */
export async function mayDrive({ guards }: Pick<Installation, 'guards'>): Promise<boolean> {
  let drives = false;
  for (const guard of guards.values()) {
    try {
      await guard.assertOurs();
      drives = true;
    } catch (error) {
      // The Lease is ours, and only the passes must wait.
      if (error instanceof DeploymentHandoverError) drives = true;
      else if (!(error instanceof DeploymentConflictError || isApiError(error))) throw error;
    }
  }
  return drives;
}
