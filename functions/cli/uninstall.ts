import { resolve } from 'node:path';
import { EvenkeelError } from '../../lib/core/errors.ts';
import type { DesiredObject } from '../../lib/core/kube-object.ts';
import { clusterUnusable } from '../kubernetes/cluster-unusable.ts';
import { type LeaveReport, leaveCluster } from '../kubernetes/leave-cluster.ts';
import { runsHere } from '../local/state-directory.ts';
import { ownControllers } from '../own-controllers/own-controllers.ts';
import { bundledDefinitions } from '../package/manifests.ts';
import { settingsOf } from '../settings/load-settings.ts';
import { connectKubeconfig, installedRegistry, kubeconfigOf, systemClock } from '../wiring.ts';
import type { RunCommand } from './command.ts';
import { DEFAULT_STATE_DIRECTORY } from './connection-options.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** `evenkeel uninstall` */
export const uninstall: RunCommand = async (invocation, terminal) => {
  if (!invocation.has('context') && !invocation.has('kubeconfig')) {
    throw new UsageError('name the cluster to leave with --context NAME or --kubeconfig FILE.');
  }
  const directory = resolve(invocation.text('state-dir') ?? DEFAULT_STATE_DIRECTORY);
  const dryRun = invocation.has('dry-run');
  const pid = runsHere(directory);
  if (pid !== undefined && !dryRun) {
    throw new EvenkeelError(
      'STILL_RUNNING',
      `evenkeel runs from ${directory}, with process id ${pid}: it would put its finalizers back. Stop it first (Ctrl-C, or kill ${pid}).`,
    );
  }
  const files = invocation.list('controllers').map((file) => resolve(file));
  const settings = settingsOf(invocation.text('settings'), files);
  const own = await ownControllers(settings);
  const registry = installedRegistry(settings, { own: own.controllers });
  const kubeconfig = await kubeconfigOf({ file: invocation.text('kubeconfig'), context: invocation.text('context') });
  const cluster = connectKubeconfig(kubeconfig);
  const progress = terminal.progress(`looking through the cluster of context ${kubeconfig.context}`);
  try {
    const options = { forgoCleanup: invocation.has('forgo-cleanup'), dryRun };
    const report = await leaveCluster(cluster.api, registry, options, systemClock, (looked) =>
      progress.update(`looking through the cluster of context ${kubeconfig.context}: ${looked} objects`),
    );
    progress.end();
    return printReport(report, dryRun, terminal, own.definitions);
  } catch (error) {
    progress.end();
    throw clusterUnusable(error, { context: kubeconfig.context, server: kubeconfig.connection.server });
  } finally {
    await cluster.close();
  }
};

/**
 * @param ownDefinitions beside those of this package.
 * @returns 1 when finalizers are left, so that a script notices.
 */
export function printReport(
  report: LeaveReport,
  dryRun: boolean,
  terminal: Terminal,
  ownDefinitions: readonly DesiredObject[] = [],
): number {
  const removed = dryRun ? 'would be removed' : 'removed';
  for (const name of report.finalizersRemoved) terminal.out(`finalizer of ${name} ${removed}, its cleanup is forgone`);
  for (const name of report.finalizersKept) terminal.out(`finalizer of ${name} kept: its cleanup is not done`);
  for (const name of report.leasesRemoved) terminal.out(`Lease ${name} ${removed}`);
  for (const { kind, count, what } of report.left) {
    const role = what === 'owned' ? ' that evenkeel created' : '';
    terminal.out(`left as they are: ${count} ${kind}${role}`);
  }
  const definitions = [...bundledDefinitions(), ...ownDefinitions].map(({ metadata }) => metadata.name);
  terminal.out(`left as they are: the CRDs ${definitions.join(', ')}, roles, namespace evenkeel-system, Events`);
  terminal.out(
    'Deleting a CRD deletes all its objects: kubectl delete crd NAME. A cloud deployment: serverless remove.',
  );
  if (report.finalizersKept.length === 0) return 0;
  terminal.err(
    `evenkeel: ${report.finalizersKept.length} objects keep their finalizer and cannot be deleted without evenkeel. Delete them while it runs, so that it cleans up after them; or give the cleanup up with --forgo-cleanup.`,
  );
  return 1;
}
