import type { OwnControllers } from '../../lib/deployment/author/own-controllers.ts';
import { connectGroups } from '../../lib/deployment/groups/connect-groups.ts';
import { installedGroups } from '../../lib/deployment/groups/installed-groups.ts';
import { createInstallation, type Installation } from '../../lib/deployment/installation/installation.ts';
import type { ClusterPlace } from '../../lib/deployment/kubernetes/cluster-unusable.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';
import { localSecrets } from '../state/local-secrets.ts';
import type { RunRecord } from '../state/run-record.ts';
import {
  connectInProcess,
  connectKubeconfig,
  installedRegistry,
  kubeconfigOf,
  localDeployment,
  placeOf,
  systemClock,
  systemEntropy,
} from '../wiring.ts';
import { type ServedMetrics, startMetrics } from '../wiring-metrics.ts';
import { joinState, type LocalState } from '../wiring-state.ts';
import { terminalLogger } from '../wiring-terminal.ts';
import { authorErrorPrinter } from './author-error-printer.ts';
import { passPrinter } from './pass-printer.ts';
import type { ServedStack } from './serve-stack.ts';
import type { StartOptions } from './start-options.ts';

export interface ConnectedInstallation {
  readonly installation: Installation;
  readonly state: LocalState;
  readonly place: ClusterPlace;
  readonly metricsUrl: string;
  readonly metrics: ServedMetrics['metrics'];
}

export interface InstallationToConnect {
  readonly record: RunRecord;
  readonly options: StartOptions;
  readonly settings: Settings;
  readonly own: OwnControllers;
  /** The name of this process in leases and as a receiver of messages. */
  readonly owner: string;
  readonly terminal: Terminal;
  /** Ends the connections. */
  readonly owned: AsyncDisposableStack;
  readonly onReplaced: Installation['onReplaced'];
  /** The parts that this process serves itself; absent when it joins another process. */
  readonly served?: Pick<ServedStack, 'state' | 'apiServer'> | undefined;
}

/** Connects this process to the state in a record, and to its cluster. */
export async function connectInstallation({
  record,
  options,
  settings,
  own,
  owner,
  terminal,
  owned,
  onReplaced,
  served,
}: InstallationToConnect): Promise<ConnectedInstallation> {
  // A part in another process than the stack has its own endpoint, on a free port.
  const { metrics, endpoint } = await startMetrics(options.withStack ? settings.metrics.port : 0, record.token);
  owned.defer(() => endpoint.close());
  const installed = installedGroups(settings);
  const secrets = localSecrets(installed, options.stateDirectory);
  const standIn = record.identity && { server: record.identity.server, token: record.token };
  const connected = connectGroups(installed, { clock: systemClock, stageSecret: undefined, standIn });
  owned.defer(() => connected.close());
  const { clients } = connected;
  const { controllers, rollouts } = own;
  const registry = installedRegistry(settings, { secrets, series: metrics, clients, own: controllers, rollouts });
  const { place, cluster } =
    served?.apiServer === undefined ? await clusterOf(record) : inProcess(record, served.apiServer);
  owned.defer(() => cluster.close());
  const state = served?.state ?? (await joinState(options.stateDirectory, registry.groups(), owner, owned));
  const logger = terminalLogger(terminal, options.logFormat, options.verbose ? 'debug' : 'warn');
  const installation = createInstallation(
    { ...state.ports, api: cluster.api, clock: systemClock, entropy: systemEntropy, logger, metrics },
    {
      settings,
      registry,
      owner,
      deployment: record.deployment ?? localDeployment(settings, options.stateDirectory),
      onPass: passPrinter(terminal, registry, options),
      ...(record.cluster.embedded && {
        onAuthorError: authorErrorPrinter(terminal, own.controllers, options.logFormat, systemClock),
      }),
      onReplaced,
    },
  );
  return { installation, state, place, metricsUrl: endpoint.url, metrics };
}

async function clusterOf({ cluster: { kubeconfig, context } }: RunRecord) {
  const loaded = await kubeconfigOf({ file: kubeconfig, context });
  return { place: placeOf(loaded), cluster: connectKubeconfig(loaded) };
}

function inProcess(
  { cluster: { kubeconfig, context } }: RunRecord,
  { url, transport }: NonNullable<ServedStack['apiServer']>,
) {
  const place = { file: kubeconfig, context, server: url, isAnonymous: false };
  return { place, cluster: connectInProcess(transport) };
}
