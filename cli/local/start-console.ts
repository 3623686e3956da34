import { groupNames, type OwnControllers } from '../../lib/deployment/author/own-controllers.ts';
import { LOCAL_STAGE } from '../../lib/deployment/installation/resource-names.ts';
import { consoleSource } from '../console/console-source.ts';
import { pageFiles } from '../console/page-files.ts';
import type { Inspection } from '../inspection/inspection.ts';
import { kindsOf, operatorName } from '../wiring.ts';
import { serveConsole } from '../wiring-console.ts';
import type { ConnectedInstallation } from './connect-installation.ts';
import type { StartOptions } from './start-options.ts';

/** Serves the console for an installation in this process. @returns its URL; undefined when it is off. */
export async function startConsole(
  { installation, state }: Pick<ConnectedInstallation, 'installation' | 'state'>,
  own: OwnControllers,
  options: Pick<StartOptions, 'console'>,
  owned: AsyncDisposableStack,
): Promise<string | undefined> {
  if (options.console === 'off') return undefined;
  const { registry, settings, api, clock, sender } = installation;
  const { store, queues } = state.ports;
  const inspection: Inspection = {
    cluster: settings.cluster,
    registry,
    settings,
    kinds: kindsOf(registry, own),
    store,
    sender: async () => sender,
    operated: {
      stage: LOCAL_STAGE,
      isCloud: false,
      deadLetters: state.sqlite.deadLetters,
      authorGroups: groupNames(own),
      queues: async () => queues,
    },
    api,
    clock,
    by: operatorName(),
    [Symbol.asyncDispose]: async () => {},
  };
  const served = await serveConsole(consoleSource(inspection, options.console === 'read-only'), await pageFiles());
  owned.defer(() => served.close());
  return served.url;
}
