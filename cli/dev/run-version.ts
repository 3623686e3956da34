import { once } from 'node:events';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type OwnControllers, ownControllers } from '../../lib/deployment/author/own-controllers.ts';
import { PART_NAMES } from '../../lib/deployment/installation/part.ts';
import { runParts } from '../../lib/deployment/installation/parts.ts';
import { settingsOf } from '../../lib/deployment/settings/load-settings.ts';
import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';
import { strayErrorReport } from '../../lib/deployment/wiring-stray-errors.ts';
import { connectInstallation } from '../local/connect-installation.ts';
import { exitSignal } from '../local/exit-signal.ts';
import { keepYoungGenerationSmall } from '../local/small-young-generation.ts';
import type { StartOptions } from '../local/start-options.ts';
import { readyCluster, takeCluster } from '../local/take-cluster.ts';
import { runningRecord } from '../state/running-record.ts';
import { processOwner } from '../wiring.ts';
import { goOnAtRejections, showStrayErrors } from '../wiring-terminal.ts';
import type { FromRunner } from './dev-message.ts';

/** The options that `evenkeel dev` passes to the process of one version of a module. */
export type VersionOptions = Pick<StartOptions, 'stateDirectory' | 'logFormat' | 'verbose'>;

/**
 * Runs one version of the author's module on the cluster of `evenkeel dev`, until this process is told to end. It takes
 * the Leases only after `evenkeel dev` reports that the previous version has ended.
 * @throws EvenkeelError when the module cannot be used, before anything is changed.
 */
export async function runVersion(version: VersionOptions, terminal: Terminal): Promise<void> {
  keepYoungGenerationSmall();
  using exit = exitSignal(() => {});
  await using owned = new AsyncDisposableStack();
  const record = runningRecord(version.stateDirectory);
  const settings = settingsOf(record.settings, record.controllers);
  showStrayErrors(terminal);
  const own = await loadOwn(settings);
  const options: StartOptions = { ...OPTIONS, ...version };
  const owner = processOwner();
  // Never happens: another deployment cannot take an embedded cluster.
  const onReplaced = () => exit.abort();
  const connected = await connectInstallation({
    record,
    options,
    settings,
    own,
    owner,
    terminal,
    owned,
    onReplaced,
  });
  const { installation, place } = connected;
  goOnAtRejections(strayErrorReport(installation.logger, installation.metrics));
  const where = { ...place, embedded: true };
  await readyCluster(installation, own, options, where, withoutProgress(terminal));
  tell({ type: 'ready', kinds: own.controllers.map(({ type }) => type.kind) });
  // The only message is that the previous version has ended.
  await once(process, 'message', { signal: exit.signal }).catch(() => undefined);
  if (exit.signal.aborted) return;
  await takeCluster(installation, options, where, terminal);
  await runParts(installation, PART_NAMES, exit.signal);
}

/** A version joins the cluster like a process with parts. */
const OPTIONS: Omit<StartOptions, keyof VersionOptions> = {
  settingsFile: undefined,
  controllers: [],
  cluster: undefined,
  installDefinitions: true,
  takeOver: false,
  examples: false,
  fresh: false,
  port: 0,
  kubeconfigOut: undefined,
  console: 'off',
  probes: undefined,
  withStack: false,
  parts: PART_NAMES,
};

/** Loads the module, and reports its files, also when one of them has a fault. */
async function loadOwn(settings: Parameters<typeof ownControllers>[0]): Promise<OwnControllers> {
  const files = new Set(settings.controllers);
  const hooks = registerHooks({
    load: (url, context, next) => {
      if (url.startsWith('file:') && !url.includes('/node_modules/')) files.add(fileURLToPath(url));
      return next(url, context);
    },
  });
  try {
    return await ownControllers(settings, { wholeErrors: true });
  } finally {
    hooks.deregister();
    tell({ type: 'read', files: [...files] });
  }
}

function tell(message: FromRunner): void {
  if (process.connected) process.send?.(message);
}

/** The CRDs are installed at each save, so only a failure is printed. */
function withoutProgress(terminal: Terminal): Terminal {
  return {
    out: (line) => terminal.out(line),
    err: (line) => terminal.err(line),
    progress: () => ({ update: () => {}, end: () => {} }),
  };
}
