import { delimiter, dirname, join, resolve } from 'node:path';
import { EvenkeelError } from '../../../core/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import { errorCode } from '../../http/transport-failure.ts';
import { readTextFile } from '../../system/read-text-file.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { type KubeconfigFile, kubeconfigFault, parseKubeconfig } from './kubeconfig-file.ts';
import { connectionOf } from './kubeconfig-user.ts';

export interface LoadKubeconfigOptions {
  /** Default: the files of the variable KUBECONFIG, or `.kube/config` in the home directory. */
  readonly file?: string;
  /** Default: the current context. */
  readonly context?: string;
  /** Has KUBECONFIG and HOME; credential plugins inherit it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

export interface LoadedKubeconfig {
  readonly connection: ClusterConnection;
  readonly context: string;
  /** The file that defines the context. */
  readonly file: string;
}

/**
 * Loads the connection of a kubeconfig context. As in kubectl, the first of several entries with the same name counts,
 * also across files. Credential plugins run on first use, not here.
 * @throws EvenkeelError KUBECONFIG_MISSING, KUBECONFIG_UNREADABLE, KUBECONFIG_INVALID or KUBECONFIG_UNSUPPORTED, with
 * the file and the entry.
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
  // As in kubectl, a context that names no cluster uses the cluster without a name, and the same for the user.
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

/**
 * As kubectl does, ignores files that do not exist. A file that cannot be read is an error, because it may define the
 * context.
 */
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
