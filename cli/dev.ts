import { existsSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { EvenkeelError } from '../lib/core/errors.ts';
import { parseSettings, settingsOf } from '../lib/deployment/settings/load-settings.ts';
import type { Settings } from '../lib/deployment/settings/settings-schema.ts';
import type { Progress } from '../lib/deployment/terminal/terminal.ts';
import type { Invocation, RunCommand } from './command.ts';
import { type VersionEvents, VersionProcess } from './dev/version-process.ts';
import { Versions } from './dev/versions.ts';
import { WatchedFiles } from './dev/watched-files.ts';
import { exitSignal } from './local/exit-signal.ts';
import { type StartOptions, startOptions } from './local/start-options.ts';
import { npmShellPid, processOwner, systemClock } from './wiring.ts';

const DEFAULT_MODULE = 'controllers.ts';
/** Installs only the author's controllers, without those of this package. */
const OWN_ALONE = 'groups: {}\n';

/**
 * `evenkeel dev`: serves the embedded cluster in this process, and runs the author's module in another process. Each
 * save replaces that process. The cluster and its objects stay.
 */
export const dev: RunCommand = async (invocation, terminal) => {
  const options = devOptions(invocation);
  const [module = ''] = options.controllers;
  const settings = devSettings(options);
  let stopping: Progress | undefined;
  using exit = exitSignal(() => {
    stopping = terminal.progress('stopping: running passes finish first; press again to end at once');
  }, npmShellPid);
  await using owned = new AsyncDisposableStack();
  const { serveStack } = await import('./local/serve-stack.ts');
  const served = await serveStack(options, settings, [], processOwner(), undefined, systemClock, owned);
  const settingsFile = options.settingsFile ?? join(options.stateDirectory, 'dev-settings.yaml');
  if (options.settingsFile === undefined) writeFileSync(settingsFile, OWN_ALONE);
  served.announce({ ...served.record, settings: settingsFile });
  const { kubeconfig } = served.record.cluster;
  terminal.out(`ready: API server ${served.apiServer?.url ?? ''}, kubeconfig ${relative('.', kubeconfig)}`);

  const name = relative('.', module);
  const { stateDirectory, logFormat, verbose } = options;
  const start = (events: VersionEvents) => new VersionProcess({ stateDirectory, logFormat, verbose }, events);
  const versions = new Versions(start, name, terminal, (files) => watched.add(files));
  using watched = new WatchedFiles((file) => {
    terminal.err(`${file} was saved`);
    void versions.load();
  });
  watched.add([module]);
  await versions.load();
  if (!exit.signal.aborted) {
    await new Promise((done) => exit.signal.addEventListener('abort', done, { once: true }));
  }
  await versions.stop();
  stopping?.end('stopped');
  return 0;
};

/** @throws UsageError; EvenkeelError INVALID_CONTROLLERS when the module does not exist. */
function devOptions(invocation: Invocation): StartOptions {
  const options = startOptions(invocation);
  const [module = resolve(DEFAULT_MODULE)] = options.controllers;
  if (!existsSync(module)) {
    throw new EvenkeelError(
      'INVALID_CONTROLLERS',
      `${module}: there is no such file. Name the module with your controllers with --controllers FILE, or write a project with evenkeel init DIR.`,
    );
  }
  return { ...options, controllers: [module], examples: false, parts: [], withStack: true };
}

function devSettings({ settingsFile, controllers }: StartOptions): Settings {
  if (settingsFile !== undefined) return settingsOf(settingsFile, controllers);
  return parseSettings(OWN_ALONE, 'the settings of evenkeel dev', controllers);
}
