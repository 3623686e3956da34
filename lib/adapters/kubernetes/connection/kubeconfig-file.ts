import { resolve } from 'node:path';
import type { Cluster, Context, User } from '@kubernetes/client-node';
import { LineCounter, parseDocument } from 'yaml';
import { EvenkeelError } from '../../../core/errors.ts';
import { isRecord } from '../status-body.ts';

/** One file as it was read; its paths are absolute. */
export interface KubeconfigFile {
  readonly path: string;
  /** '' when it sets none. */
  readonly currentContext: string;
  readonly clusters: readonly KubeconfigCluster[];
  readonly users: readonly KubeconfigUser[];
  readonly contexts: readonly Pick<Context, 'name' | 'cluster' | 'user'>[];
}

export type KubeconfigCluster = Cluster & { readonly file: string };

export type KubeconfigUser = User & {
  readonly file: string;
  readonly tokenFile: string | undefined;
  /** Another user's name, groups or UID is asked for. */
  readonly impersonates: boolean;
};

/**
 * Parses a kubeconfig with client-node's KubeConfig, which is loaded here on first use, since it brings all API models
 * along. It drops `tokenFile` and most of what impersonates: these are read besides.
 * @throws EvenkeelError KUBECONFIG_INVALID, which quotes nothing of the file.
 */
export async function parseKubeconfig(
  text: string,
  { path, directory }: { path: string; directory: string },
): Promise<KubeconfigFile> {
  const raw = parseYaml(text, path);
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  try {
    config.loadFromString(text);
  } catch (error) {
    throw kubeconfigFault(path, `is incomplete${missingField(error)}. Correct it`);
  }
  config.makePathsAbsolute(directory);
  const rawUsers = Array.isArray(raw.users) ? raw.users.filter(isRecord) : [];
  return {
    path,
    currentContext: config.getCurrentContext() ?? '',
    contexts: config.getContexts(),
    clusters: config.getClusters().map((cluster) => ({ ...cluster, file: path })),
    users: config.getUsers().map((user) => {
      const entry = rawUsers.find(({ name }) => name === user.name)?.user;
      const { tokenFile, ...fields } = isRecord(entry) ? entry : {};
      return {
        ...user,
        file: path,
        tokenFile: typeof tokenFile === 'string' ? resolve(directory, tokenFile) : undefined,
        impersonates: ['as', 'as-groups', 'as-uid', 'as-user-extra'].some((field) => fields[field] !== undefined),
      };
    }),
  };
}

export function kubeconfigFault(path: string, what: string): EvenkeelError {
  return new EvenkeelError('KUBECONFIG_INVALID', `the kubeconfig ${path} ${what}.`);
}

function parseYaml(text: string, path: string): Record<string, unknown> {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw kubeconfigFault(path, `is not YAML: see line ${line}, column ${col}. Correct it`);
  }
  const raw: unknown = document.toJS();
  if (!isRecord(raw)) throw kubeconfigFault(path, 'holds no kubeconfig. Name another file');
  return raw;
}

/** KubeConfig's own complaints name a field, such as `users[0].name is missing`; other errors may quote the file. */
function missingField(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return /^[a-z]+\[[0-9]+\](\.[a-z]+)+ is missing$/.test(message) ? `: ${message}` : '';
}
