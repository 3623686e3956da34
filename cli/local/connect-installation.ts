import { createInstallation, type Installation } from '../../lib/deployment/installation/installation.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';
import { localIdentity } from '../../lib/deployment/wiring-identity.ts';
import type { OwnControllers } from '../own-controllers/own-controllers.ts';
import type { RunRecord } from '../state/run-record.ts';
import {
  connectInProcess,
  connectKubeconfig,
  installedRegistry,
  kubeconfigOf,
  localDeployment,
  localDigestKey,
  systemClock,
  systemEntropy,
} from '../wiring.ts';
import { startMetrics } from '../wiring-metrics.ts';
import { joinState, type LocalState } from '../wiring-state.ts';
import { terminalLogger } from '../wiring-terminal.ts';
import { authorErrorPrinter } from './author-error-printer.ts';
import { passPrinter } from './pass-printer.ts';
import type { ServedStack } from './serve-stack.ts';
import type { StartOptions } from './start-options.ts';

export interface ConnectedInstallation {
  readonly installation: Installation;
  readonly state: LocalState;
  /** The API server's address. */
  readonly server: string;
  readonly metricsUrl: string;
}

/**
 * Connects this process to the state that a record names, and to its cluster; `owned` ends the connections.
 * @param owner names this process in leases and in what it receives.
 * @param served what this process serves itself.
 */
export async function connectInstallation(
  record: RunRecord,
  options: StartOptions,
  settings: Settings,
  own: OwnControllers,
  owner: string,
  terminal: Terminal,
  owned: AsyncDisposableStack,
  onReplaced: Installation['onReplaced'],
  served: Pick<ServedStack, 'state' | 'apiServer'> | undefined,
): Promise<ConnectedInstallation> {
  // A part in another process than the stack has its own endpoint, on a free port.
  const { metrics, endpoint } = await startMetrics(options.withStack ? settings.metrics.port : 0, record.token);
  owned.defer(() => endpoint.close());
  const digestKey = localDigestKey(settings, options.stateDirectory);
  const identity = localIdentity(settings, record, systemClock);
  owned.defer(async () => await identity?.close());
  const registry = installedRegistry(settings, {
    digestKey,
    series: metrics,
    own: own.controllers,
    ...(identity !== undefined && { identity: identity.provider }),
  });
  const { server, cluster } = served?.apiServer === undefined ? await clusterOf(record) : inProcess(served.apiServer);
  owned.defer(() => cluster.close());
  const state = served?.state ?? (await joinState(options.stateDirectory, registry.groups(), owner, owned));
  const logger = terminalLogger(terminal, options.logFormat, options.verbose ? 'debug' : 'warn');
  const installation = createInstallation(
    { ...state.ports, api: cluster.api, clock: systemClock, entropy: systemEntropy, logger, metrics },
    {
      settings,
      registry,
      owner,
      deployment: localDeployment(settings, options.stateDirectory),
      onPass: passPrinter(terminal, registry, options),
      ...(record.cluster.embedded && {
        onAuthorError: authorErrorPrinter(terminal, own.controllers, options.logFormat, systemClock),
      }),
      onReplaced,
    },
  );
  return { installation, state, server, metricsUrl: endpoint.url };
}

async function clusterOf({ cluster: { kubeconfig, context } }: RunRecord) {
  const loaded = await kubeconfigOf({ file: kubeconfig, context });
  return { server: loaded.connection.server, cluster: connectKubeconfig(loaded) };
}

function inProcess({ url, transport }: NonNullable<ServedStack['apiServer']>) {
  return { server: url, cluster: connectInProcess(transport) };
}
