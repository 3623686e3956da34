import { EvenkeelError } from '../../lib/core/errors.ts';
import { claimGroups } from '../../lib/deployment/installation/deployment.ts';
import type { Installation } from '../../lib/deployment/installation/installation.ts';
import { checkServed } from '../../lib/deployment/kubernetes/check-served.ts';
import { type ClusterPlace, clusterUnusable } from '../../lib/deployment/kubernetes/cluster-unusable.ts';
import { kubectlCommand } from '../../lib/deployment/kubernetes/kubectl-command.ts';
import { neededDefinitions } from '../../lib/deployment/kubernetes/needed-definitions.ts';
import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';
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
  place: ClusterPlace & { readonly embedded: boolean },
  terminal: Terminal,
): Promise<void> {
  try {
    const install = options.installDefinitions || place.embedded;
    const { api, clock, registry } = installation;
    const examples = options.examples ? registry.groups() : [];
    const definitions = [...neededDefinitions(registry), ...own.definitions];
    await prepareCluster(api, { definitions, install, examples, kubectl: kubectlCommand(place) }, terminal, clock);
    await checkServed(api, own.controllers);
    const { readyAtMonotonicMs, takenFrom } = await claimGroups(installation, options.takeOver);
    const leftMs = readyAtMonotonicMs - clock.monotonic();
    if (leftMs <= 0) return;
    const readyAtMs = clock.now() + leftMs;
    terminal.err(
      `taking over from ${takenFrom}: its last passes end by ${new Date(readyAtMs).toISOString()}; then ours begin`,
    );
  } catch (error) {
    if (error instanceof DeploymentConflictError) {
      throw new EvenkeelError(error.code, `${error.message} To take over, use --take-over.`, { cause: error });
    }
    throw clusterUnusable(error, place);
  }
}
