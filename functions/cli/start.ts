import { relative } from 'node:path';
import { createInstallation } from '../installation/installation.ts';
import { runParts } from '../installation/parts.ts';
import { clusterUnusable } from '../kubernetes/cluster-unusable.ts';
import { prepareCluster } from '../kubernetes/prepare-cluster.ts';
import { exitSignal } from '../local/exit-signal.ts';
import { passPrinter } from '../local/pass-printer.ts';
import { type RunRecord, readRunRecord } from '../local/run-record.ts';
import { serveStack } from '../local/serve-stack.ts';
import { type StartOptions, startOptions } from '../local/start-options.ts';
import { defaultSettings, loadSettings } from '../settings/load-settings.ts';
import {
  connectKubeconfig,
  connectStack,
  installedRegistry,
  kubeconfigOf,
  localDigestKey,
  processOwner,
  systemClock,
  systemEntropy,
} from '../wiring.ts';
import { startMetrics } from '../wiring-metrics.ts';
import { terminalLogger } from '../wiring-terminal.ts';
import type { RunCommand } from './command.ts';

/** `evenkeel start`: runs until Ctrl-C or SIGTERM, then finishes what it has begun. */
export const start: RunCommand = async (invocation, terminal) => {
  const options = startOptions(invocation);
  using exit = exitSignal(() => terminal.err('stopping: running passes are finished; once more ends at once'));
  await using owned = new AsyncDisposableStack();
  const joined = options.withStack ? undefined : readRunRecord(options.stateDirectory);
  const settingsFile = options.settingsFile ?? joined?.settings;
  const settings = settingsFile === undefined ? defaultSettings() : loadSettings(settingsFile);
  const found = options.cluster && (await kubeconfigOf({ file: options.cluster.kubeconfig, ...options.cluster }));
  const groups = installedRegistry(settings).groups();
  const served =
    joined === undefined ? await serveStack(options, settings, groups, found, systemClock, owned) : undefined;
  const record = served?.record ?? (joined as RunRecord);

  const { metrics, endpoint } = await startMetrics(joined === undefined ? settings.metrics.port : 0);
  owned.defer(() => endpoint.close());
  const registry = installedRegistry(settings, {
    digestKey: localDigestKey(settings, options.stateDirectory),
    series: metrics,
  });
  const kubeconfig = await kubeconfigOf({ file: record.cluster.kubeconfig, context: record.cluster.context });
  const cluster = connectKubeconfig(kubeconfig);
  owned.defer(() => cluster.close());
  const stack = connectStack(record);
  owned.defer(() => stack.close());
  const { store, queues, wakes } = stack;
  const logger = terminalLogger(terminal, options.logFormat, options.verbose ? 'debug' : 'warn');
  const ports = { store, queues, wakes, api: cluster.api, clock: systemClock, entropy: systemEntropy, logger, metrics };
  const onPass = passPrinter(terminal, registry, options);
  const installation = createInstallation(ports, { settings, registry, owner: processOwner(), onPass });
  if (served !== undefined) {
    const install = options.installDefinitions || record.cluster.embedded;
    const where = { context: kubeconfig.context, server: kubeconfig.connection.server };
    await prepareCluster(cluster.api, { install, examples: options.examples }, terminal, systemClock).catch((error) => {
      throw clusterUnusable(error, where);
    });
    served.announce({ ...record, metrics: endpoint.url });
  }
  const running = runParts(installation, options.parts, exit.signal);
  terminal.out(readyLine(options, record, kubeconfig.connection.server, endpoint.url));
  await running;
  return 0;
};

function readyLine(options: StartOptions, { cluster }: RunRecord, server: string, metrics: string): string {
  const what = options.withStack ? '' : `: ${options.parts.join(', ')} joined ${options.stateDirectory}`;
  const file = relative('.', cluster.kubeconfig);
  const kubeconfig = file.startsWith('..') ? cluster.kubeconfig : file;
  return `ready${what}: API server ${server}, kubeconfig ${kubeconfig}, metrics ${metrics}`;
}
