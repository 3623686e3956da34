import { resolve } from 'node:path';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { type FileFault, fileFault } from '../../lib/deployment/files/file-fault.ts';
import { writePrivately } from '../../lib/deployment/files/write-privately.ts';
import { needsStandIn } from '../../lib/deployment/groups/connect-groups.ts';
import { installedGroups } from '../../lib/deployment/groups/installed-groups.ts';
import { packageVersion } from '../../lib/deployment/package/package-root.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { type RunRecord, writeRunRecord } from '../state/run-record.ts';
import { claimStateDirectory, TOKEN_FILE } from '../state/state-directory.ts';
import { type ServedApiServer, startLocalStack } from '../wiring-local.ts';
import { joinState, type LocalState, removeLocalState } from '../wiring-state.ts';
import { kubeconfigText } from './kubeconfig-text.ts';
import type { StartOptions } from './start-options.ts';

export interface ServedStack {
  readonly record: RunRecord;
  readonly state: LocalState;
  /** The embedded API server, for calls inside this process; absent with a real cluster. */
  readonly apiServer: ServedApiServer | undefined;
  /** Writes the record by which commands and parts in other processes find this process. */
  announce(record: RunRecord): void;
}

/** A real cluster, by a context of a kubeconfig. */
export interface FoundCluster {
  readonly file: string;
  readonly context: string;
  /** The text to write into the file first; undefined for a file that already exists. */
  readonly text?: string;
  /** The deployment's name in the cluster's Leases, when machine and folder do not identify it. */
  readonly deployment?: string;
}

/**
 * Takes the state directory, opens the state in it, and starts the embedded parts in this process; `owned` ends them.
 * @param owner the name of this process as a receiver of messages.
 * @param found the kubeconfig of a real cluster, if there is one, with its text if the file must be written.
 */
export async function serveStack(
  options: StartOptions,
  settings: Settings,
  groups: readonly string[],
  owner: string,
  found: FoundCluster | undefined,
  clock: Clock,
  owned: AsyncDisposableStack,
): Promise<ServedStack> {
  const directory = claimStateDirectory(options.stateDirectory, process.pid);
  owned.defer(() => directory.release());
  if (options.fresh) await removeLocalState(directory.path);
  const state = await joinState(directory.path, groups, owner, owned);
  await refuseOtherCluster(state, settings.cluster, found === undefined, directory.path);
  const stack = await startLocalStack({
    state: state.sqlite,
    apiServerPort: found === undefined ? options.port : undefined,
    identity: needsStandIn(installedGroups(settings)),
  });
  owned.defer(() => stack.close());
  // Prometheus reads a credential from a separate file.
  writeInDirectory(directory.file(TOKEN_FILE), stack.token);
  if (found?.text !== undefined) writeInDirectory(found.file, found.text);
  let cluster: { readonly file: string; readonly context: string } | undefined = found;
  if (stack.apiServer !== undefined) {
    const file = resolve(options.kubeconfigOut ?? directory.file('kubeconfig'));
    writeCredential(file, kubeconfigText(stack.apiServer), (_, { why, advice }) => ({
      code: 'KUBECONFIG_OUT',
      message: `the kubeconfig cannot be written to ${file}: ${why}. ${advice}, or name another file with --kubeconfig-out FILE.`,
    }));
    cluster = { file, context: 'evenkeel' };
  }
  if (cluster === undefined)
    throw new EvenkeelError('NO_CLUSTER', 'neither an embedded nor a real cluster was chosen.');
  return {
    record: {
      v: 1,
      pid: process.pid,
      startedAt: new Date(clock.now()).toISOString(),
      version: packageVersion(),
      ...(options.settingsFile !== undefined && { settings: options.settingsFile }),
      ...(options.controllers.length > 0 && { controllers: [...options.controllers] }),
      cluster: {
        name: settings.cluster,
        kubeconfig: cluster.file,
        context: cluster.context,
        embedded: stack.apiServer !== undefined,
      },
      ...(found?.deployment !== undefined && { deployment: found.deployment }),
      state: state.sqlite.path,
      token: stack.token,
      ...(stack.identity !== undefined && { identity: { server: stack.identity.url } }),
    },
    state,
    apiServer: stack.apiServer,
    announce: (record) => writeRunRecord(directory.path, record),
  };
}

/**
 * One file has the embedded cluster and the records about it. A file with records of another cluster is refused,
 * because objects and versions of the two would be mixed.
 * @throws EvenkeelError ANOTHER_CLUSTER
 */
async function refuseOtherCluster(
  { sqlite, ports }: LocalState,
  cluster: string,
  isEmbedded: boolean,
  directory: string,
): Promise<void> {
  const hasEmbedded = await sqlite.clusterObjects.exist();
  if (isEmbedded ? hasEmbedded || (await ports.store.readCluster(cluster)).clusterUid === undefined : !hasEmbedded)
    return;
  throw new EvenkeelError(
    'ANOTHER_CLUSTER',
    `${directory} holds the state of ${isEmbedded ? 'a real cluster' : 'the embedded cluster'}. Name another state directory with --state-dir DIR, or start over with --fresh, which removes that state.`,
  );
}

function writeInDirectory(path: string, text: string): void {
  writeCredential(path, text, (file, { why, advice }) => ({
    code: 'STATE_DIRECTORY',
    message: `${file} cannot be written: ${why}. ${advice}, or name another state directory with --state-dir DIR.`,
  }));
}

function writeCredential(
  file: string,
  text: string,
  tell: (file: string, fault: FileFault) => { readonly code: string; readonly message: string },
): void {
  try {
    writePrivately(file, text);
  } catch (error) {
    const { code, message } = tell(file, fileFault(error));
    throw new EvenkeelError(code, message, { cause: error });
  }
}
