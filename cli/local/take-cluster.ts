import { EvenkeelError } from '../../lib/core/errors.ts';
import { claimGroups, groupsNeverDriven } from '../../lib/deployment/installation/deployment.ts';
import type { Installation } from '../../lib/deployment/installation/installation.ts';
import { checkServed } from '../../lib/deployment/kubernetes/check-served.ts';
import { clusterUnusable } from '../../lib/deployment/kubernetes/cluster-unusable.ts';
import { neededDefinitions } from '../../lib/deployment/kubernetes/needed-definitions.ts';
import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';
import { AnotherClusterError } from '../../lib/engine/cluster-identity/another-cluster-error.ts';
import { DeploymentConflictError } from '../../lib/engine/deployment-lease/deployment-error.ts';
import type { OwnControllers } from '../own-controllers/own-controllers.ts';
import { prepareCluster } from '../prepare-cluster.ts';
import type { StartOptions } from './start-options.ts';

/**
 * Makes the cluster ready for this installation: CRDs, and the Leases that say who drives it.
 * @throws EvenkeelError, naming the cluster for whatever its API server refused.
 */
export async function takeCluster(
  installation: Installation,
  own: OwnControllers,
  options: StartOptions,
  where: { readonly context: string; readonly server: string; readonly embedded: boolean },
  terminal: Terminal,
): Promise<void> {
  try {
    const install = options.installDefinitions || where.embedded;
    const { api, clock, registry } = installation;
    // Examples that a user deleted stay deleted: a group that was here before gets none.
    const examples = options.examples && where.embedded ? await groupsNeverDriven(installation) : [];
    const definitions = [...neededDefinitions(registry), ...own.definitions];
    await prepareCluster(api, { definitions, install, examples }, terminal, clock);
    await checkServed(api, own.controllers);
    const { readyAtMonotonicMs, takenFrom } = await claimGroups(installation, options.takeOver);
    const leftMs = readyAtMonotonicMs - clock.monotonic();
    if (leftMs <= 0) return;
    const readyAtMs = clock.now() + leftMs;
    terminal.err(
      `taking over from ${takenFrom}: its last passes end by ${new Date(readyAtMs).toISOString()}, ours begin then`,
    );
  } catch (error) {
    if (error instanceof DeploymentConflictError) {
      throw new EvenkeelError(error.code, `${error.message} For the latter: --take-over.`, { cause: error });
    }
    const told = clusterUnusable(error, where);
    if (!(error instanceof AnotherClusterError) || !(told instanceof EvenkeelError)) throw told;
    throw new EvenkeelError(
      told.code,
      `${told.message} To drive both, name another state directory with --state-dir DIR; to forget the other one, start over with --fresh.`,
      { cause: error },
    );
  }
}
