import { resolve } from 'node:path';
import { z } from 'zod';
import { EvenkeelError } from '../../../core/errors.ts';
import { parseKubeconfigYaml } from './kubeconfig-yaml.ts';

/**
 * One file after parsing; its paths are absolute. As in kubectl, '' stands for a value that is absent, null or empty.
 */
export interface KubeconfigFile {
  readonly path: string;
  readonly currentContext: string;
  readonly clusters: readonly KubeconfigCluster[];
  readonly users: readonly KubeconfigUser[];
  readonly contexts: readonly { readonly name: string; readonly cluster: string; readonly user: string }[];
}

export interface KubeconfigCluster {
  readonly file: string;
  readonly name: string;
  readonly server: string;
  readonly caData: string;
  readonly caFile: string;
  readonly tlsServerName: string;
  readonly skipTLSVerify: boolean;
  readonly proxyUrl: string;
}

export interface KubeconfigUser {
  readonly file: string;
  readonly name: string;
  readonly certData: string;
  readonly certFile: string;
  readonly keyData: string;
  readonly keyFile: string;
  readonly token: string;
  readonly tokenFile: string;
  readonly username: string;
  readonly password: string;
  /** The section as it is in the file. It is parsed only when a plugin is created from it. */
  readonly exec: unknown;
  readonly authProvider: unknown;
  /** Whether the user impersonates another one: a name, groups or a UID. */
  readonly impersonates: boolean;
}

const text = z.string().nullish();

/**
 * The fields of kubectl's `v1.Config` that a connection depends on; other fields are ignored. As in Go, any field may
 * be absent or null: an entry must be complete only when it is used.
 */
const kubeconfigSchema = z.object({
  apiVersion: text,
  kind: text,
  'current-context': text,
  clusters: z
    .array(
      z
        .object({
          name: text,
          cluster: z
            .object({
              server: text,
              'certificate-authority': text,
              'certificate-authority-data': text,
              'tls-server-name': text,
              'insecure-skip-tls-verify': z.boolean().nullish(),
              'proxy-url': text,
            })
            .nullish(),
        })
        .nullish(),
    )
    .nullish(),
  users: z
    .array(
      z
        .object({
          name: text,
          user: z
            .object({
              'client-certificate': text,
              'client-certificate-data': text,
              'client-key': text,
              'client-key-data': text,
              token: text,
              tokenFile: text,
              username: text,
              password: text,
              exec: z.unknown().optional(),
              'auth-provider': z.unknown().optional(),
              as: text,
              'as-uid': text,
              'as-groups': z.array(text).nullish(),
              'as-user-extra': z.looseObject({}).nullish(),
            })
            .nullish(),
        })
        .nullish(),
    )
    .nullish(),
  contexts: z
    .array(z.object({ name: text, context: z.object({ cluster: text, user: text }).nullish() }).nullish())
    .nullish(),
});

type ParsedKubeconfig = z.infer<typeof kubeconfigSchema>;
type ParsedUser = NonNullable<NonNullable<NonNullable<ParsedKubeconfig['users']>[number]>['user']>;

/** @throws EvenkeelError KUBECONFIG_INVALID; it quotes no value of the file. */
export function parseKubeconfig(
  source: string,
  { path, directory }: { path: string; directory: string },
): KubeconfigFile {
  const parsed = kubeconfigSchema.safeParse(parseKubeconfigYaml(source, (what) => kubeconfigFault(path, what)));
  if (!parsed.success) throw kubeconfigFault(path, `cannot be read: ${faultOf(parsed.error)}. Correct it`);
  const { data } = parsed;
  refuseOtherKind(path, data);
  const absolute = (file: string | null | undefined) => (file ? resolve(directory, file) : '');
  const file: KubeconfigFile = {
    path,
    currentContext: data['current-context'] ?? '',
    contexts: (data.contexts ?? []).map((entry) => ({
      name: entry?.name ?? '',
      cluster: entry?.context?.cluster ?? '',
      user: entry?.context?.user ?? '',
    })),
    clusters: (data.clusters ?? []).map((entry) => ({
      file: path,
      name: entry?.name ?? '',
      server: entry?.cluster?.server ?? '',
      caData: entry?.cluster?.['certificate-authority-data'] ?? '',
      caFile: absolute(entry?.cluster?.['certificate-authority']),
      tlsServerName: entry?.cluster?.['tls-server-name'] ?? '',
      skipTLSVerify: entry?.cluster?.['insecure-skip-tls-verify'] ?? false,
      proxyUrl: entry?.cluster?.['proxy-url'] ?? '',
    })),
    users: (data.users ?? []).map((entry) => ({
      file: path,
      name: entry?.name ?? '',
      certData: entry?.user?.['client-certificate-data'] ?? '',
      certFile: absolute(entry?.user?.['client-certificate']),
      keyData: entry?.user?.['client-key-data'] ?? '',
      keyFile: absolute(entry?.user?.['client-key']),
      token: entry?.user?.token ?? '',
      tokenFile: absolute(entry?.user?.tokenFile),
      username: entry?.user?.username ?? '',
      password: entry?.user?.password ?? '',
      exec: entry?.user?.exec,
      authProvider: entry?.user?.['auth-provider'],
      impersonates: impersonates(entry?.user ?? {}),
    })),
  };
  for (const list of ['clusters', 'users', 'contexts'] as const) refuseNameTwice(path, list, file[list]);
  return file;
}

export function kubeconfigFault(path: string, what: string): EvenkeelError {
  return new EvenkeelError('KUBECONFIG_INVALID', `the kubeconfig ${path} ${what}.`);
}

/**
 * Both fields may be absent. Another kind shows that the wrong file was named; another version may have another
 * meaning.
 */
function refuseOtherKind(path: string, { apiVersion, kind }: ParsedKubeconfig): void {
  if ((apiVersion || 'v1') === 'v1' && (kind || 'Config') === 'Config') return;
  throw kubeconfigFault(path, `is a ${apiVersion || 'v1'} ${kind || 'Config'}, and no kubeconfig. Name another file`);
}

/** kubectl accepts neither of two entries that have the same name in one file. */
function refuseNameTwice(path: string, list: string, entries: readonly { readonly name: string }[]): void {
  const names = new Set<string>();
  for (const { name } of entries) {
    const named = name === '' ? 'without a name' : `named ${name}`;
    if (names.has(name)) throw kubeconfigFault(path, `has two ${list} ${named}. Rename or remove one`);
    names.add(name);
  }
}

function impersonates(user: Partial<ParsedUser>): boolean {
  const { as: name, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user;
  return Boolean(name || uid || (groups ?? []).length > 0 || Object.keys(extra ?? {}).length > 0);
}

/** The path of the first field that has a wrong type, such as `users[0].name`; never a value. */
function faultOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'a field is wrong';
  const place = issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return `${place.replace(/^\./, '')} is of a wrong type`;
}
