import { EvenkeelError } from '../../lib/core/errors.ts';
import type { OwnControllers } from '../../lib/deployment/author/own-controllers.ts';
import { claimGroups, groupsNeverDriven } from '../../lib/deployment/installation/deployment.ts';
import type { Installation } from '../../lib/deployment/installation/installation.ts';
import { checkServed } from '../../lib/deployment/kubernetes/check-served.ts';
import { type ClusterPlace, clusterUnusable } from '../../lib/deployment/kubernetes/cluster-unusable.ts';
import { kubectlCommand } from '../../lib/deployment/kubernetes/kubectl-command.ts';
import { neededDefinitions } from '../../lib/deployment/kubernetes/needed-definitions.ts';
import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';
import { AnotherClusterError } from '../../lib/engine/cluster-identity/another-cluster-error.ts';
import { DeploymentConflictError } from '../../lib/engine/deployment-lease/deployment-error.ts';
import { prepareCluster } from '../prepare-cluster.ts';
import type { StartOptions } from './start-options.ts';

type Cluster = ClusterPlace & { readonly embedded: boolean };

/**
 * Prepares the cluster for this installation: the CRDs, and the examples of controller groups that are new in it.
 * @throws EvenkeelError, with the cluster, when its API server refuses something.
 */
export async function readyCluster(
  installation: Installation,
  own: OwnControllers,
  options: StartOptions,
  place: Cluster,
  terminal: Terminal,
): Promise<void> {
  try {
    const install = options.installDefinitions || place.embedded;
    const { api, clock, registry } = installation;
    // Deleted examples must stay deleted, so a group that was driven here before gets none.
    const examples = options.examples && place.embedded ? await groupsNeverDriven(installation) : [];
    const definitions = [...neededDefinitions(registry), ...own.definitions];
    await prepareCluster(api, { definitions, install, examples, kubectl: kubectlCommand(place) }, terminal, clock);
    await checkServed(api, own.controllers);
  } catch (error) {
    throw explained(error, place);
  }
}

/**
 * Takes the Leases of the cluster for this installation.
 * @throws EvenkeelError when another one has them, and as readyCluster.
 */
export async function takeCluster(
  installation: Installation,
  { takeOver }: Pick<StartOptions, 'takeOver'>,
  place: Cluster,
  terminal: Terminal,
): Promise<void> {
  const { clock } = installation;
  try {
    const { readyAtMonotonicMs, takenFrom } = await claimGroups(installation, takeOver);
    const leftMs = readyAtMonotonicMs - clock.monotonic();
    if (leftMs <= 0) return;
    const readyAtMs = clock.now() + leftMs;
    terminal.err(
      `taking over from ${takenFrom}: its last passes end by ${new Date(readyAtMs).toISOString()}; then ours begin`,
    );
  } catch (error) {
    throw explained(error, place);
  }
}

function explained(error: unknown, place: Cluster): unknown {
  if (error instanceof DeploymentConflictError) {
    return new EvenkeelError(error.code, `${error.message} To take over, use --take-over.`, { cause: error });
  }
  const told = clusterUnusable(error, place);
  if (!(error instanceof AnotherClusterError) || !(told instanceof EvenkeelError)) return told;
  return new EvenkeelError(
    told.code,
    `${told.message} To drive both, name another state directory with --state-dir DIR; to forget the other one, start over with --fresh.`,
    { cause: error },
  );
}
