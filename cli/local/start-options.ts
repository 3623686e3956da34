import { resolve } from 'node:path';
import { PART_NAMES, type PartName } from '../../lib/deployment/installation/part.ts';
import { didYouMean } from '../../lib/deployment/suggestion/closest-word.ts';
import type { Invocation } from '../command.ts';
import { DEFAULT_STATE_DIRECTORY } from '../connection-options.ts';
import { UsageError } from '../usage-error.ts';

export interface StartOptions {
  readonly stateDirectory: string;
  readonly settingsFile: string | undefined;
  /** Absolute paths of modules with controllers, in addition to those in the settings. */
  readonly controllers: readonly string[];
  /** A real cluster, by a kubeconfig context or as the one that this pod runs in; undefined for the embedded API server. */
  readonly cluster:
    | 'in-cluster'
    | { readonly kubeconfig: string | undefined; readonly context: string | undefined }
    | undefined;
  readonly installDefinitions: boolean;
  readonly takeOver: boolean;
  /** Create the examples of the groups that this state directory did not run before. */
  readonly examples: boolean;
  /** First delete the state in the directory, and the embedded cluster with it. */
  readonly fresh: boolean;
  /** The port of the embedded API server; 0 for a free one. */
  readonly port: number;
  readonly kubeconfigOut: string | undefined;
  /** This process runs the embedded API server, and holds the state directory for the other parts. */
  readonly withStack: boolean;
  readonly parts: readonly PartName[];
  /** Whether the console is served, and whether it accepts actions. */
  readonly console: 'on' | 'read-only' | 'off';
  /** The address for requests of a kubelet and of Prometheus; undefined when there must be none. */
  readonly probes:
    | { readonly host: string; readonly port: number; readonly metricsToken: string | undefined }
    | undefined;
  readonly logFormat: 'text' | 'json';
  readonly verbose: boolean;
}

const STACK = 'stack';

/** @throws UsageError for wrong values, and for options that contradict each other. */
export function startOptions(invocation: Invocation): StartOptions {
  const settingsFile = invocation.text('settings');
  const cluster = clusterOf(invocation);
  const parts = partsOf(invocation.text('parts'));
  const options: StartOptions = {
    stateDirectory: resolve(invocation.text('state-dir') ?? DEFAULT_STATE_DIRECTORY),
    settingsFile: settingsFile === undefined ? undefined : resolve(settingsFile),
    controllers: invocation.list('controllers').map((file) => resolve(file)),
    cluster,
    installDefinitions: invocation.has('install-crds'),
    takeOver: invocation.has('take-over'),
    examples: !invocation.has('empty') && cluster === undefined,
    fresh: invocation.has('fresh'),
    port: portOf(invocation.text('port')),
    kubeconfigOut: invocation.text('kubeconfig-out'),
    withStack: parts.includes(STACK),
    parts: parts.filter((part) => part !== STACK),
    console: consoleOf(invocation.text('console')),
    probes: probesOf(invocation),
    logFormat: invocation.text('log-format') === 'json' ? 'json' : 'text',
    verbose: invocation.has('verbose'),
  };
  refuseContradictions(invocation, options);
  return options;
}

function refuseContradictions(invocation: Invocation, { cluster, withStack }: StartOptions): void {
  if (cluster !== undefined) {
    for (const option of ['port', 'kubeconfig-out', 'empty']) {
      if (!invocation.has(option)) continue;
      throw new UsageError(
        `--${option} is for the embedded API server, and --context, --kubeconfig and --in-cluster use a real cluster. Remove one of them.`,
      );
    }
  } else {
    for (const option of ['install-crds', 'take-over']) {
      if (!invocation.has(option)) continue;
      throw new UsageError(`--${option} is for a real cluster. Name one with --context, --kubeconfig or --in-cluster.`);
    }
  }
  if (withStack) return;
  for (const option of [
    'context',
    'kubeconfig',
    'port',
    'kubeconfig-out',
    'empty',
    'fresh',
    'controllers',
    'console',
    'in-cluster',
    'probes',
    'metrics-token',
  ]) {
    if (!invocation.has(option)) continue;
    throw new UsageError(
      `--${option} belongs to the part "stack", which these parts join. Give it where stack is started.`,
    );
  }
}

function clusterOf(invocation: Invocation): StartOptions['cluster'] {
  const isNamed = invocation.has('context') || invocation.has('kubeconfig');
  if (!invocation.has('in-cluster')) {
    return isNamed ? { kubeconfig: invocation.text('kubeconfig'), context: invocation.text('context') } : undefined;
  }
  if (!isNamed) return 'in-cluster';
  throw new UsageError(
    '--in-cluster uses the cluster of this pod. Remove --context and --kubeconfig, or --in-cluster.',
  );
}

function probesOf(invocation: Invocation): StartOptions['probes'] {
  const address = invocation.text('probes');
  const metricsToken = invocation.text('metrics-token');
  if (address === undefined) {
    if (metricsToken === undefined) return undefined;
    throw new UsageError('--metrics-token is for the metrics at the address of --probes. Give that as well.');
  }
  const { host = '', port = '' } = /^(?<host>[^\s/]+):(?<port>\d{1,5})$/.exec(address)?.groups ?? {};
  if (host === '' || Number(port) > 65_535) {
    throw new UsageError(`--probes cannot be "${address}". It takes an address and a port, such as 0.0.0.0:8080.`);
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port), metricsToken };
}

function partsOf(text: string | undefined): (PartName | typeof STACK)[] {
  const known = [STACK, ...PART_NAMES] as const;
  if (text === undefined) return [...known];
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words)].map((word) => {
    const part = known.find((name) => name === word);
    if (part !== undefined) return part;
    throw new UsageError(
      `"${word}" is no part.${didYouMean(word, known)} The parts are ${known.join(', ')}, separated by commas.`,
    );
  });
}

function consoleOf(text: string | undefined): StartOptions['console'] {
  return text === 'off' || text === 'read-only' ? text : 'on';
}

function portOf(text: string | undefined): number {
  if (text === undefined || text === 'none') return 0;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port cannot be "${text}". It takes a number from 0 to 65535; 0 selects a free port.`);
}
