import { resolve } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { EvenkeelError } from '../../../core/errors.ts';
import { isRecord } from '../status-body.ts';

/** One file as it was read; its paths are absolute. */
export interface KubeconfigFile {
  readonly path: string;
  /** '' when it sets none. */
  readonly currentContext: string;
  readonly clusters: readonly KubeconfigCluster[];
  readonly users: readonly KubeconfigUser[];
  readonly contexts: readonly { readonly name: string; readonly cluster: string; readonly user: string | undefined }[];
}

export interface KubeconfigCluster {
  readonly file: string;
  readonly name: string;
  readonly server: string;
  readonly caData: string | undefined;
  readonly caFile: string | undefined;
  readonly tlsServerName: string | undefined;
  readonly skipTLSVerify: boolean;
  readonly proxyUrl: string | undefined;
}

export interface KubeconfigUser {
  readonly file: string;
  readonly name: string;
  readonly certData: string | undefined;
  readonly certFile: string | undefined;
  readonly keyData: string | undefined;
  readonly keyFile: string | undefined;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** As it stands in the file: parsed where a plugin is made of it. */
  readonly exec: unknown;
  readonly authProvider: unknown;
  /** Another user's name, groups or UID is asked for. */
  readonly impersonates: boolean;
}

const text = z.string().optional();
const name = z.string().min(1);

/** What kubectl's `v1.Config` has, as far as a connection depends on it; other fields are left alone. */
const kubeconfigSchema = z.object({
  'current-context': z.string().nullish(),
  clusters: z
    .array(
      z.object({
        name,
        cluster: z.object({
          server: z.string().min(1),
          'certificate-authority': text,
          'certificate-authority-data': text,
          'tls-server-name': text,
          'insecure-skip-tls-verify': z.boolean().optional(),
          'proxy-url': text,
        }),
      }),
    )
    .nullish(),
  users: z
    .array(
      z.object({
        name,
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
            as: z.unknown().optional(),
            'as-groups': z.unknown().optional(),
            'as-uid': z.unknown().optional(),
            'as-user-extra': z.unknown().optional(),
          })
          .nullish(),
      }),
    )
    .nullish(),
  contexts: z.array(z.object({ name, context: z.object({ cluster: name, user: text }) })).nullish(),
});

/** @throws EvenkeelError KUBECONFIG_INVALID, which quotes nothing of the file. */
export function parseKubeconfig(
  source: string,
  { path, directory }: { path: string; directory: string },
): KubeconfigFile {
  const parsed = kubeconfigSchema.safeParse(parseYaml(source, path));
  if (!parsed.success) throw kubeconfigFault(path, `is incomplete: ${faultOf(parsed.error)}. Correct it`);
  const { clusters, users, contexts } = parsed.data;
  const absolute = (file: string | undefined) => (file === undefined ? undefined : resolve(directory, file));
  return {
    path,
    currentContext: parsed.data['current-context'] ?? '',
    contexts: (contexts ?? []).map((entry) => ({
      name: entry.name,
      cluster: entry.context.cluster,
      user: entry.context.user,
    })),
    clusters: (clusters ?? []).map(({ name, cluster }) => ({
      file: path,
      name,
      server: cluster.server,
      caData: cluster['certificate-authority-data'],
      caFile: absolute(cluster['certificate-authority']),
      tlsServerName: cluster['tls-server-name'],
      skipTLSVerify: cluster['insecure-skip-tls-verify'] ?? false,
      proxyUrl: cluster['proxy-url'],
    })),
    users: (users ?? []).map(({ name, user }) => ({
      file: path,
      name,
      certData: user?.['client-certificate-data'],
      certFile: absolute(user?.['client-certificate']),
      keyData: user?.['client-key-data'],
      keyFile: absolute(user?.['client-key']),
      token: user?.token,
      tokenFile: absolute(user?.tokenFile),
      username: user?.username,
      password: user?.password,
      exec: user?.exec,
      authProvider: user?.['auth-provider'],
      impersonates: (['as', 'as-groups', 'as-uid', 'as-user-extra'] as const).some(
        (field) => user?.[field] !== undefined,
      ),
    })),
  };
}

export function kubeconfigFault(path: string, what: string): EvenkeelError {
  return new EvenkeelError('KUBECONFIG_INVALID', `the kubeconfig ${path} ${what}.`);
}

function parseYaml(source: string, path: string): Record<string, unknown> {
  const lineCounter = new LineCounter();
  const document = parseDocument(source, { lineCounter });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw kubeconfigFault(path, `is not YAML: see line ${line}, column ${col}. Correct it`);
  }
  const raw: unknown = document.toJS();
  if (!isRecord(raw)) throw kubeconfigFault(path, 'holds no kubeconfig. Name another file');
  return raw;
}

/** The first field that is missing or of another type, such as `users[0].name`; never a value. */
function faultOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'a field is wrong';
  const place = issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  const isMissing = issue.code === 'invalid_type' && /undefined|null/.test(issue.message);
  return `${place.replace(/^\./, '')} is ${isMissing || issue.code === 'too_small' ? 'missing' : 'of a wrong type'}`;
}
