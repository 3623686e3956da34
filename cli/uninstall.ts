import { resolve } from 'node:path';
import { ownControllers } from '../lib/deployment/author/own-controllers.ts';
import { bundledControllers } from '../lib/deployment/installation/bundled-controllers.ts';
import { clusterUnusable } from '../lib/deployment/kubernetes/cluster-unusable.ts';
import { kubectlCommand } from '../lib/deployment/kubernetes/kubectl-command.ts';
import { type LeaveReport, leaveCluster } from '../lib/deployment/kubernetes/leave-cluster.ts';
import { bundledDefinitions } from '../lib/deployment/package/manifests.ts';
import { settingsToLeave } from '../lib/deployment/settings/load-settings.ts';
import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import { checkLeft, type LeftStage } from './cluster/forget-left.ts';
import type { Invocation, RunCommand } from './command.ts';
import { DEFAULT_STATE_DIRECTORY } from './connection-options.ts';
import { driverHere } from './local/driver-here.ts';
import { UsageError } from './usage-error.ts';
import { connectKubeconfig, kubeconfigOf, placeOf, systemClock } from './wiring.ts';
import { openStageTools } from './wiring-cluster.ts';

/** `evenkeel uninstall` */
export const uninstall: RunCommand = async (invocation, terminal) => {
  if (!invocation.has('context') && !invocation.has('kubeconfig')) {
    throw new UsageError('name the cluster to leave with --context NAME or --kubeconfig FILE.');
  }
  const directory = resolve(invocation.text('state-dir') ?? DEFAULT_STATE_DIRECTORY);
  const dryRun = invocation.has('dry-run');
  const files = invocation.list('controllers').map((file) => resolve(file));
  const settings = settingsToLeave(invocation.text('settings'), files);
  const own = await ownControllers(settings, { isConfigured: false });
  const leaving = {
    controllers: [...bundledControllers(), ...own.controllers],
    definitions: [...bundledDefinitions(), ...own.definitions].map(({ metadata }) => metadata.name),
  };
  const kubeconfig = await kubeconfigOf({ file: invocation.text('kubeconfig'), context: invocation.text('context') });
  await using stage = openLeftStage(invocation);
  const cluster = connectKubeconfig(kubeconfig);
  const progress = terminal.progress(`reading the cluster of context ${kubeconfig.context}`);
  try {
    const left = stage && (await checkLeft(stage, cluster, leaving.controllers));
    const isLimited = invocation.has('settings') || invocation.has('controllers');
    const groups = [...Object.keys(settings.groups), ...own.controllers.map(({ group }) => group)];
    const options = { forgoCleanup: invocation.has('forgo-cleanup'), dryRun, ...(isLimited && { groups }) };
    const runs = await driverHere(directory, cluster.api);
    if (runs !== undefined && !dryRun) throw runs;
    const report = await leaveCluster(cluster.api, leaving, options, systemClock, (looked) =>
      progress.update(`reading the cluster of context ${kubeconfig.context}: ${looked} objects`),
    );
    progress.end();
    const refusals = [...(runs === undefined ? [] : [runs.message]), ...report.refusals];
    const code = printReport({ ...report, refusals }, dryRun, kubectlCommand(kubeconfig), terminal);
    return dryRun || left === undefined || code !== 0 ? code : await left.forget(terminal);
  } catch (error) {
    progress.end();
    throw clusterUnusable(error, placeOf(kubeconfig));
  } finally {
    await cluster.close();
  }
};

/** The stage in which the cluster's record is removed; undefined when no stage is named. */
function openLeftStage(invocation: Invocation): LeftStage | undefined {
  const stage = invocation.text('stage');
  const name = invocation.text('cluster');
  if (stage === undefined && name === undefined) return undefined;
  if (stage === undefined || name === undefined) {
    throw new UsageError(
      '--stage and --cluster belong together: name the stage, and the cluster as the stage names it.',
    );
  }
  return { ...openStageTools(stage), name };
}

/** @returns 1 when finalizers are left, and in a dry run when something would be refused; for scripts. */
export function printReport(report: LeaveReport, dryRun: boolean, kubectl: string, terminal: Terminal): number {
  const { definitions, refusals } = report;
  const removed = !dryRun
    ? 'removed'
    : refusals.length === 0
      ? 'would be removed'
      : 'would be removed, if nothing refused it';
  for (const name of report.finalizersRemoved) terminal.out(`finalizer of ${name} ${removed} without its cleanup`);
  for (const name of report.finalizersKept) terminal.out(`finalizer of ${name} kept: its cleanup is not done`);
  for (const name of report.leasesRemoved) terminal.out(`Lease ${name} ${removed}`);
  for (const { kind, count, what } of report.left) {
    const role = what === 'owned' ? ' that evenkeel created' : '';
    terminal.out(`left as they are: ${count} ${kind}${role}`);
  }
  const crds = definitions.length === 0 ? '' : `the CRDs ${definitions.join(', ')}, `;
  terminal.out(`left as they are: ${crds}roles, namespace evenkeel-system, Events`);
  if (crds !== '') terminal.out(`Deleting a CRD deletes all its objects: ${kubectl} delete crd NAME.`);
  terminal.out('To remove a cloud deployment, run serverless remove.');
  for (const refusal of refusals) terminal.err(`evenkeel: without --dry-run this is refused now: ${refusal}`);
  if (report.finalizersKept.length === 0) return refusals.length === 0 ? 0 : 1;
  terminal.err(
    `evenkeel: ${report.finalizersKept.length} objects keep their finalizer and cannot be deleted without evenkeel. Delete them while it runs, so that it cleans up; or remove the finalizers without cleanup by --forgo-cleanup.`,
  );
  return 1;
}
