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
  /** The kubeconfig context of a real cluster; undefined for the embedded API server. */
  readonly cluster: { readonly kubeconfig: string | undefined; readonly context: string | undefined } | undefined;
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
  readonly logFormat: 'text' | 'json';
  readonly verbose: boolean;
}

const STACK = 'stack';

/** @throws UsageError for wrong values, and for options that contradict each other. */
export function startOptions(invocation: Invocation): StartOptions {
  const settingsFile = invocation.text('settings');
  const isRealCluster = invocation.has('context') || invocation.has('kubeconfig');
  const parts = partsOf(invocation.text('parts'));
  const options: StartOptions = {
    stateDirectory: resolve(invocation.text('state-dir') ?? DEFAULT_STATE_DIRECTORY),
    settingsFile: settingsFile === undefined ? undefined : resolve(settingsFile),
    controllers: invocation.list('controllers').map((file) => resolve(file)),
    cluster: isRealCluster
      ? { kubeconfig: invocation.text('kubeconfig'), context: invocation.text('context') }
      : undefined,
    installDefinitions: invocation.has('install-crds'),
    takeOver: invocation.has('take-over'),
    examples: !invocation.has('empty') && !isRealCluster,
    fresh: invocation.has('fresh'),
    port: portOf(invocation.text('port')),
    kubeconfigOut: invocation.text('kubeconfig-out'),
    withStack: parts.includes(STACK),
    parts: parts.filter((part) => part !== STACK),
    console: consoleOf(invocation.text('console')),
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
        `--${option} is for the embedded API server, and --context and --kubeconfig use a real cluster. Remove one of them.`,
      );
    }
  } else {
    for (const option of ['install-crds', 'take-over']) {
      if (!invocation.has(option)) continue;
      throw new UsageError(`--${option} is for a real cluster. Name one with --context or --kubeconfig.`);
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
  ]) {
    if (!invocation.has(option)) continue;
    throw new UsageError(
      `--${option} belongs to the part "stack", which these parts join. Give it where stack is started.`,
    );
  }
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
