import { X509Certificate } from 'node:crypto';
import { dirname, isAbsolute, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { EvenkeelError } from '../../../core/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import { readTextFile } from '../../system/read-text-file.ts';
import { type ExecPlugin, execToken } from '../credentials/exec-plugin.ts';
import { tokenFile } from '../credentials/token-file.ts';
import { staticToken, type TokenSource } from '../credentials/token-source.ts';
import { isRecord } from '../status-body.ts';
import { errorCode } from '../transport-failure.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { type KubeconfigCluster, type KubeconfigUser, kubeconfigFault } from './kubeconfig-file.ts';

interface Surroundings {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The connection that a cluster and a user of a kubeconfig describe; without a user it is anonymous. What is not supported
 * is refused rather than left out: a connection that ignored it would act as somebody else, or take another way.
 */
export async function connectionOf(
  cluster: KubeconfigCluster,
  user: KubeconfigUser | undefined,
  surroundings: Surroundings,
): Promise<ClusterConnection> {
  const { server, skipTLSVerify, tlsServerName, caData, caFile, proxyUrl } = cluster;
  const place = `cluster ${cluster.name}`;
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol)) {
    throw kubeconfigFault(cluster.file, `has a ${place} whose server is no http or https URL. Correct it`);
  }
  if (proxyUrl !== undefined)
    throw unsupported(cluster.file, place, 'a proxy-url', 'Use a context that needs no proxy');
  const certificateAuthority = await readPem(cluster.file, `certificate-authority of ${place}`, caData, caFile);
  const clientCertificate = user === undefined ? undefined : await clientCertificateOf(user);
  const token = user === undefined ? undefined : tokenOf(user, cluster, certificateAuthority, surroundings);
  if (certificateAuthority !== undefined) {
    checkPem(cluster.file, `certificate-authority of ${place}`, () => new X509Certificate(certificateAuthority));
  }
  return {
    server: withoutCredentials(server),
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(skipTLSVerify ? { insecureSkipTlsVerify: true } : {}),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(token === undefined ? {} : { token }),
  };
}

/** A server's address is shown in messages: a password in it is not. */
function withoutCredentials(server: string): string {
  const url = new URL(server);
  if (url.username === '' && url.password === '') return server;
  url.username = '';
  url.password = '';
  return server.endsWith('/') ? url.href : url.href.replace(/\/$/, '');
}

async function clientCertificateOf(user: KubeconfigUser): Promise<ClusterConnection['clientCertificate']> {
  const what = `user ${user.name}`;
  const certificate = await readPem(user.file, `client-certificate of ${what}`, user.certData, user.certFile);
  const key = await readPem(user.file, `client-key of ${what}`, user.keyData, user.keyFile);
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    throw kubeconfigFault(user.file, `has a ${what} with only one of client-certificate and client-key. Add the other`);
  }
  checkPem(user.file, `client-certificate or client-key of ${what}`, () =>
    createSecureContext({ cert: certificate, key }),
  );
  return { certificate, key };
}

/** Of several, the one that client-go takes: the file before the token, and either before the plugin. */
function tokenOf(
  user: KubeconfigUser,
  cluster: KubeconfigCluster,
  certificateAuthority: string | undefined,
  { clock, environment }: Surroundings,
): TokenSource | undefined {
  const place = `user ${user.name}`;
  if (user.impersonates) throw unsupported(user.file, place, 'impersonation', 'Use a context of that identity itself');
  if (user.authProvider) {
    throw unsupported(user.file, place, 'an auth-provider', "Use your provider's credential plugin (exec), or a token");
  }
  if (user.username || user.password) {
    throw unsupported(user.file, place, 'a user name and password', 'Use a token or a client certificate');
  }
  if (user.tokenFile !== undefined) return tokenFile(user.tokenFile, clock);
  if (user.token) return staticToken(user.token);
  return user.exec ? execToken(pluginOf(user, cluster, certificateAuthority), clock, environment) : undefined;
}

function pluginOf(user: KubeconfigUser, cluster: KubeconfigCluster, ca: string | undefined): ExecPlugin {
  const exec: unknown = user.exec;
  const fault = (what: string) => kubeconfigFault(user.file, `has a user ${user.name} whose exec ${what}. Correct it`);
  if (!isRecord(exec) || typeof exec.command !== 'string' || exec.command === '') throw fault('names no command');
  const { apiVersion, command, args, env, interactiveMode, provideClusterInfo } = exec;
  if (apiVersion !== 'client.authentication.k8s.io/v1' && apiVersion !== 'client.authentication.k8s.io/v1beta1') {
    throw fault('has an apiVersion other than client.authentication.k8s.io/v1 or v1beta1');
  }
  if (interactiveMode === 'Always') throw fault('needs a terminal (interactiveMode Always), and there is none');
  // As client-go has it: a command with a separator is relative to the file, one without is looked up on the PATH.
  const relative = /[/\\]/.test(command) && !isAbsolute(command);
  return {
    command: relative ? resolve(dirname(user.file), command) : command,
    args: textsOf(args ?? [], () => fault('has args that are no list of texts')),
    env: environmentOf(env ?? [], () => fault('has an env that is no list of names and values')),
    apiVersion,
    ...(provideClusterInfo === true ? { cluster: clusterInfo(cluster, ca) } : {}),
  };
}

function textsOf(value: unknown, fault: () => Error): string[] {
  if (!Array.isArray(value)) throw fault();
  return value.map((text: unknown) => {
    if (typeof text !== 'string') throw fault();
    return text;
  });
}

function environmentOf(value: unknown, fault: () => Error): Record<string, string> {
  if (!Array.isArray(value)) throw fault();
  const variables: Record<string, string> = {};
  for (const entry of value as unknown[]) {
    if (!isRecord(entry) || typeof entry.name !== 'string' || typeof entry.value !== 'string') throw fault();
    variables[entry.name] = entry.value;
  }
  return variables;
}

function clusterInfo(cluster: KubeconfigCluster, ca: string | undefined): Record<string, unknown> {
  return {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.skipTLSVerify ? true : undefined,
    'certificate-authority-data': ca === undefined ? undefined : Buffer.from(ca).toString('base64'),
  };
}

async function readPem(
  kubeconfig: string,
  what: string,
  data: string | undefined | null,
  file: string | undefined | null,
): Promise<string | undefined> {
  if (data) return Buffer.from(data, 'base64').toString('utf8');
  if (!file) return undefined;
  try {
    return await readTextFile(file);
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    throw kubeconfigFault(kubeconfig, `names the file ${file} as ${what}, which cannot be read (${code}). Correct it`);
  }
}

function checkPem(kubeconfig: string, what: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    throw kubeconfigFault(kubeconfig, `has a ${what} that is not usable PEM (${code}). Correct it`);
  }
}

function unsupported(kubeconfig: string, place: string, what: string, advice: string): EvenkeelError {
  return new EvenkeelError(
    'KUBECONFIG_UNSUPPORTED',
    `the kubeconfig ${kubeconfig} gives ${place} ${what}, which is not supported. ${advice}.`,
  );
}
