import { delimiter, dirname, join, resolve } from 'node:path';
import { EvenkeelError } from '../../../core/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import { errorCode } from '../../http/transport-failure.ts';
import { readTextFile } from '../../system/read-text-file.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { type KubeconfigFile, kubeconfigFault, parseKubeconfig } from './kubeconfig-file.ts';
import { connectionOf } from './kubeconfig-user.ts';

export interface LoadKubeconfigOptions {
  /** Absent: those of the variable KUBECONFIG, else `.kube/config` in the home directory. */
  readonly file?: string;
  /** Absent: the current context. */
  readonly context?: string;
  /** Where KUBECONFIG and HOME are looked up, and what credential plugins inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

export interface LoadedKubeconfig {
  readonly connection: ClusterConnection;
  readonly context: string;
  /** The file that holds the context. */
  readonly file: string;
}

/**
 * The connection of a kubeconfig context, by kubectl's rules for several files: of entries with one name, the first wins.
 * Credential plugins run on first use, not here.
 * @throws EvenkeelError KUBECONFIG_MISSING, KUBECONFIG_UNREADABLE, KUBECONFIG_INVALID or KUBECONFIG_UNSUPPORTED, naming
 * file and entry.
 */
export async function loadKubeconfig(options: LoadKubeconfigOptions): Promise<LoadedKubeconfig> {
  const { clock, environment } = options;
  const files = await readFiles(options);
  const paths = files.map(({ path }) => path).join(', ');
  const contexts = files.flatMap((file) => file.contexts.map((context) => ({ ...context, file: file.path })));
  if (contexts.length === 0) throw kubeconfigFault(paths, 'has no context. Name another file, or add one');
  const wanted = options.context ?? files.map(({ currentContext }) => currentContext).find((name) => name !== '');
  const named = contexts.map(({ name }) => name).filter((name) => name !== '');
  const known = `It has: ${named.join(', ')}. Name one of them`;
  if (wanted === undefined) throw kubeconfigFault(paths, `sets no current-context. ${known}`);
  const context = contexts.find(({ name }) => name === wanted);
  if (context === undefined) throw kubeconfigFault(paths, `has no context ${wanted}. ${known}`);
  // As in kubectl, an entry without a name is that of a context which names none.
  const cluster = files.flatMap(({ clusters }) => clusters).find(({ name }) => name === context.cluster);
  if (cluster === undefined) {
    const fault =
      context.cluster === ''
        ? `has a context ${wanted} that names no cluster. Add its cluster`
        : `has no cluster ${context.cluster}, which its context ${wanted} names. Add it`;
    throw kubeconfigFault(context.file, fault);
  }
  const user = files.flatMap(({ users }) => users).find(({ name }) => name === context.user);
  if (user === undefined && context.user !== '') {
    throw kubeconfigFault(context.file, `has no user ${context.user}, which its context ${wanted} names. Add it`);
  }
  return { connection: await connectionOf(cluster, user, { clock, environment }), context: wanted, file: context.file };
}

async function readFiles({ file, environment }: LoadKubeconfigOptions): Promise<KubeconfigFile[]> {
  if (file !== undefined) return [await readKubeconfig(resolve(file))];
  const { KUBECONFIG: variable = '' } = environment;
  if (variable !== '') {
    const listed = variable.split(delimiter).filter((path) => path !== '');
    if (listed.length === 0) throw missing('the variable KUBECONFIG names no file', undefined);
    return listed.length === 1 ? [await readKubeconfig(resolve(listed[0] ?? ''))] : await readSeveral(listed);
  }
  const home = environment.HOME ?? environment.USERPROFILE;
  if (home === undefined || home === '') {
    throw missing('no kubeconfig was named, and neither KUBECONFIG nor HOME is set', undefined);
  }
  return [await readKubeconfig(join(home, '.kube', 'config'))];
}

/** Of several files, those that do not exist are left out, as kubectl does. One that cannot be read may be the one meant. */
async function readSeveral(paths: readonly string[]): Promise<KubeconfigFile[]> {
  const files: KubeconfigFile[] = [];
  for (const path of paths) {
    try {
      files.push(await readKubeconfig(resolve(path)));
    } catch (error) {
      if (!(error instanceof EvenkeelError && error.code === 'KUBECONFIG_MISSING')) throw error;
    }
  }
  if (files.length === 0) throw missing(`none of the files of KUBECONFIG exists: ${paths.join(', ')}`, undefined);
  return files;
}

async function readKubeconfig(path: string): Promise<KubeconfigFile> {
  let text: string;
  try {
    text = await readTextFile(path);
  } catch (error) {
    if (error instanceof EvenkeelError) throw error;
    const code = errorCode(error) ?? 'unknown error';
    const what = `the kubeconfig ${path} cannot be read (${code})`;
    if (code === 'ENOENT') throw missing(what, error);
    throw new EvenkeelError('KUBECONFIG_UNREADABLE', `${what}. Check its path and permissions, or name another file.`, {
      cause: error,
    });
  }
  return parseKubeconfig(text, { path, directory: dirname(path) });
}

function missing(what: string, cause: unknown): EvenkeelError {
  return new EvenkeelError(
    'KUBECONFIG_MISSING',
    `${what}. Name an existing kubeconfig file, or set the variable KUBECONFIG.`,
    { cause },
  );
}
