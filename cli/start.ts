import { relative } from 'node:path';
import { type OwnControllers, ownControllers } from '../lib/deployment/author/own-controllers.ts';
import { claimGroups, releaseGroups } from '../lib/deployment/installation/deployment.ts';
import type { Installation } from '../lib/deployment/installation/installation.ts';
import { runParts } from '../lib/deployment/installation/parts.ts';
import { settingsOf } from '../lib/deployment/settings/load-settings.ts';
import type { Progress, Terminal } from '../lib/deployment/terminal/terminal.ts';
import { strayErrorReport } from '../lib/deployment/wiring-stray-errors.ts';
import { DeploymentConflictError } from '../lib/engine/deployment-lease/deployment-error.ts';
import { repeatedly } from '../lib/engine/runtime/repeatedly.ts';
import type { RunCommand } from './command.ts';
import { connectInstallation } from './local/connect-installation.ts';
import { exitSignal } from './local/exit-signal.ts';
import type { FoundCluster } from './local/serve-stack.ts';
import { keepYoungGenerationSmall } from './local/small-young-generation.ts';
import { startConsole } from './local/start-console.ts';
import { type StartOptions, startOptions } from './local/start-options.ts';
import { readyCluster, takeCluster } from './local/take-cluster.ts';
import type { RunRecord } from './state/run-record.ts';
import { runningRecord } from './state/running-record.ts';
import { installedRegistry, kubeconfigOf, npmShellPid, processOwner, systemClock } from './wiring.ts';
import { inClusterPlace, startProbes } from './wiring-pod.ts';
import { describeUnforeseen, goOnAtRejections, showStrayErrors } from './wiring-terminal.ts';

/** The interval in which an idle deployment renews its Leases of the cluster. */
const KEEP_LEASES_MS = 240_000;

/** `evenkeel start`: runs until Ctrl-C or SIGTERM, then ends its started work. */
export const start: RunCommand = async (invocation, terminal) => {
  const options = startOptions(invocation);
  goOnAtRejections((error) => terminal.err(`evenkeel: a promise was rejected: ${describeUnforeseen(error)}`));
  // Not for the embedded cluster, because it is in memory and needs room.
  if (!options.withStack || options.cluster !== undefined) keepYoungGenerationSmall();
  let stopping: Progress | undefined;
  using exit = exitSignal(() => {
    stopping = terminal.progress('stopping: running passes finish first; press again to end at once');
  }, npmShellPid);
  await using owned = new AsyncDisposableStack();
  let replacedBy: DeploymentConflictError | undefined;
  const onReplaced = (error: DeploymentConflictError) => {
    replacedBy ??= error;
    exit.abort();
  };

  const joined = options.withStack ? undefined : runningRecord(options.stateDirectory);
  const settings = settingsOf(options.settingsFile ?? joined?.settings, joined?.controllers ?? options.controllers);
  // A part in another process than the stack knows the cluster from its record.
  const isEmbedded = joined === undefined ? options.cluster === undefined : joined.cluster.embedded;
  if (isEmbedded && settings.controllers !== undefined) showStrayErrors(terminal);
  const own = await ownControllers(settings, { wholeErrors: isEmbedded });
  const owner = processOwner();
  const served = joined === undefined ? await serve(options, settings, own, owner, owned) : undefined;
  const record = served?.record ?? (joined as RunRecord);
  const connected = await connectInstallation({
    record,
    options,
    settings,
    own,
    owner,
    terminal,
    owned,
    onReplaced,
    served,
  });
  const { installation, state, place, metricsUrl } = connected;
  goOnAtRejections(strayErrorReport(installation.logger, installation.metrics));
  const probes = options.probes && (await startProbes(options.probes, connected, exit.signal, owned));
  const where = { ...place, embedded: record.cluster.embedded };
  const runsParts = options.parts.length > 0;
  if (served !== undefined) await readyCluster(installation, own, options, where, terminal);
  // A process with only the stack drives nothing. The parts that join it take the Leases.
  if (runsParts || options.takeOver) await takeCluster(installation, options, where, terminal);
  served?.announce({ ...record, metrics: metricsUrl });
  const consoleUrl = served && (await startConsole(connected, own, options, owned));
  probes?.ready();
  const running = runParts(installation, options.parts, exit.signal);
  const keeping = runsParts ? keepLeases(installation, exit.signal) : Promise.resolve();
  const services = { metrics: metricsUrl, console: consoleUrl, probes: probes?.url };
  terminal.out(readyLine(options, record, place.server, services));
  await Promise.all([running, keeping]);
  stopping?.end('stopped');
  if (replacedBy !== undefined) return endReplaced(replacedBy, terminal);
  // Only the last process of the deployment gives back the cluster, because the others continue. An embedded cluster
  // has ended with its stack.
  const hasCluster = served !== undefined || !record.cluster.embedded;
  if (hasCluster && (await state.isAlone())) await giveBack(installation, terminal);
  return 0;
};

/** @returns the exit code. */
function endReplaced({ message }: DeploymentConflictError, terminal: Terminal): number {
  terminal.err(`evenkeel: ${message}`);
  return 1;
}

async function serve(
  options: StartOptions,
  settings: Installation['settings'],
  own: OwnControllers,
  owner: string,
  owned: AsyncDisposableStack,
) {
  const found = await foundCluster(options, settings);
  // Loaded only when the embedded parts run here, because a worker in another process does not need it.
  const { serveStack } = await import('./local/serve-stack.ts');
  const groups = installedRegistry(settings, { own: own.controllers }).groups();
  return await serveStack(options, settings, groups, owner, found, systemClock, owned);
}

async function foundCluster(
  { cluster, stateDirectory }: StartOptions,
  settings: Installation['settings'],
): Promise<FoundCluster | undefined> {
  if (cluster === 'in-cluster') return await inClusterPlace(settings, stateDirectory);
  return cluster && (await kubeconfigOf({ file: cluster.kubeconfig, context: cluster.context }));
}

function keepLeases(installation: Installation, signal: AbortSignal): Promise<void> {
  const keep = async () => {
    try {
      await claimGroups(installation, false);
    } catch (error) {
      if (!(error instanceof DeploymentConflictError)) throw error;
      installation.onReplaced(error);
    }
  };
  return repeatedly('renewal of the Leases', keep, KEEP_LEASES_MS, installation, signal);
}

/** A cluster that does not answer must not prevent the end: its Leases expire by themselves. */
async function giveBack(installation: Installation, terminal: Terminal): Promise<void> {
  try {
    await releaseGroups(installation);
  } catch {
    terminal.err('the Leases could not be released: the next deployment waits until they expire, or takes over');
  }
}

function readyLine(
  options: StartOptions,
  { cluster }: RunRecord,
  server: string,
  services: Readonly<Record<string, string | undefined>>,
): string {
  const what = options.withStack ? '' : `: ${options.parts.join(', ')} joined ${options.stateDirectory}`;
  const file = relative('.', cluster.kubeconfig);
  const kubeconfig = file.startsWith('..') ? cluster.kubeconfig : file;
  const served = Object.entries(services).flatMap(([name, url]) => (url === undefined ? [] : [`, ${name} ${url}`]));
  return `ready${what}: API server ${server}, kubeconfig ${kubeconfig}${served.join('')}`;
}
