import { X509Certificate } from 'node:crypto';
import { dirname, isAbsolute, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { EvenkeelError } from '../../../core/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import { errorCode } from '../../http/transport-failure.ts';
import { readTextFile } from '../../system/read-text-file.ts';
import { type ExecPlugin, execCredentials } from '../credentials/exec-plugin.ts';
import { tokenFile } from '../credentials/token-file.ts';
import { isSendable, staticToken } from '../credentials/token-source.ts';
import { isRecord } from '../status-body.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { type KubeconfigCluster, type KubeconfigUser, kubeconfigFault } from './kubeconfig-file.ts';

interface Surroundings {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The connection that a cluster and a user of a kubeconfig describe; without a user it is anonymous. A setting that is
 * not supported is refused and not ignored: without it, the connection would act as another user or take another route.
 *
 * A server without TLS gets no credentials, as in client-go (`DirectClientConfig.ClientConfig`).
 */
export async function connectionOf(
  cluster: KubeconfigCluster,
  user: KubeconfigUser | undefined,
  surroundings: Surroundings,
): Promise<ClusterConnection> {
  const { file, skipTLSVerify, tlsServerName } = cluster;
  const place = `cluster ${cluster.name}`;
  const server = serverOf(cluster);
  const proxy = proxyOf(cluster);
  const reached = { server, ...(proxy === undefined ? {} : { proxy }) };
  if (user !== undefined) refuseUnsupported(user);
  if (!/^https:/i.test(server)) return reached;
  const authority = await readPem(file, `certificate-authority of ${place}`, cluster.caData, cluster.caFile);
  if (authority !== undefined) {
    checkPem(file, `certificate-authority of ${place}`, () => new X509Certificate(authority));
    if (skipTLSVerify) {
      const both = 'a certificate-authority and insecure-skip-tls-verify';
      throw kubeconfigFault(file, `has a ${place} with ${both}. Remove one of them`);
    }
  }
  return {
    ...reached,
    ...(authority === undefined ? {} : { certificateAuthority: authority }),
    ...(tlsServerName === '' ? {} : { tlsServerName }),
    ...(skipTLSVerify ? { insecureSkipTlsVerify: true } : {}),
    ...(user === undefined ? {} : await credentialsOf(user, cluster, authority, surroundings)),
  };
}

/**
 * A server without a scheme uses http, as in `rest.DefaultServerURL`. URL repairs spaces, backslashes and extra slashes
 * silently. Such an address is refused here, as in Go.
 */
function serverOf({ file, name, server }: KubeconfigCluster): string {
  if (server === '') throw kubeconfigFault(file, `has a cluster ${name} without a server. Add it`);
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(server);
  const whole = hasScheme ? server : `http://${server}`;
  const url = /:\/\/[^/]/.test(whole) && !/[\\\s]/.test(whole) && URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || (!hasScheme && url.pathname !== '/')) {
    throw kubeconfigFault(file, `has a cluster ${name} whose server is no http or https URL. Correct it`);
  }
  if (url.username !== '' || url.password !== '') {
    const what = 'a user name or password in its server';
    throw unsupported(file, `cluster ${name}`, what, 'Remove it, and use a token or a client certificate');
  }
  return whole;
}

/**
 * The URL of the proxy without its path and query, which a connection does not use, as in Go. A message never contains
 * the URL, because it may contain a password. Addresses that URL would repair silently are refused, and so is a
 * password that cannot be decoded.
 */
function proxyOf({ file, name, proxyUrl }: KubeconfigCluster): string | undefined {
  if (proxyUrl === '') return undefined;
  const isWritten = /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(proxyUrl) && !/[\\\s]/.test(proxyUrl);
  const url = isWritten && URL.canParse(proxyUrl) ? new URL(proxyUrl) : undefined;
  if (url === undefined || !isDecodable(url.username) || !isDecodable(url.password)) {
    const what = `has a cluster ${name} whose proxy-url is no URL such as http://proxy.example.org:3128`;
    throw kubeconfigFault(file, `${what}. Correct it; write special characters of a user name or password as %XX`);
  }
  if (/^https?:$/.test(url.protocol)) return /^[^/]*\/\/[^/?#]*/.exec(proxyUrl)?.[0];
  const what = 'a proxy-url that is no http or https URL';
  throw unsupported(file, `cluster ${name}`, what, 'Use a proxy of these kinds');
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function refuseUnsupported(user: KubeconfigUser): void {
  const place = `user ${user.name}`;
  if (user.impersonates) throw unsupported(user.file, place, 'impersonation', 'Use a context of that identity itself');
  if (user.authProvider !== undefined && user.authProvider !== null) {
    throw unsupported(user.file, place, 'an auth-provider', "Use your provider's credential plugin (exec), or a token");
  }
  if (user.username !== '' || user.password !== '') {
    throw unsupported(user.file, place, 'a user name and password', 'Use a token or a client certificate');
  }
}

/**
 * Selects credentials in the order of client-go: the token file, then the token. A plugin is used only when there is
 * neither a token nor a certificate.
 */
async function credentialsOf(
  user: KubeconfigUser,
  cluster: KubeconfigCluster,
  certificateAuthority: string | undefined,
  { clock, environment }: Surroundings,
): Promise<Pick<ClusterConnection, 'clientCertificate' | 'token' | 'plugin'>> {
  const clientCertificate = await clientCertificateOf(user);
  const hasPlugin = user.exec !== undefined && user.exec !== null;
  const plugin = hasPlugin ? pluginOf(user, cluster, certificateAuthority) : undefined;
  const certified = clientCertificate === undefined ? {} : { clientCertificate };
  if (user.tokenFile !== '') return { ...certified, token: tokenFile(user.tokenFile, clock) };
  if (user.token !== '' && !isSendable(user.token)) {
    throw kubeconfigFault(
      user.file,
      `has a user ${user.name} whose token has characters other than printable ASCII. Correct it`,
    );
  }
  if (user.token !== '') return { ...certified, token: staticToken(user.token) };
  if (plugin === undefined || clientCertificate !== undefined) return certified;
  return { plugin: execCredentials(plugin, clock, environment) };
}

async function clientCertificateOf(user: KubeconfigUser): Promise<ClusterConnection['clientCertificate']> {
  const what = `user ${user.name}`;
  const hasCertificate = user.certData !== '' || user.certFile !== '';
  const hasKey = user.keyData !== '' || user.keyFile !== '';
  if (hasCertificate !== hasKey) {
    throw kubeconfigFault(user.file, `has a ${what} with only one of client-certificate and client-key. Add the other`);
  }
  const certificate = await readPem(user.file, `client-certificate of ${what}`, user.certData, user.certFile);
  const key = await readPem(user.file, `client-key of ${what}`, user.keyData, user.keyFile);
  if (certificate === undefined || key === undefined) return undefined;
  checkPem(user.file, `client-certificate or client-key of ${what}`, () =>
    createSecureContext({ cert: certificate, key }),
  );
  return { certificate, key };
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
  // As in client-go, a command with a separator is relative to the file. A command without one is searched on the PATH.
  const relative = /[/\\]/.test(command) && !isAbsolute(command);
  const argumentTexts = textsOf(args ?? [], () => fault('has args that are no list of texts'));
  const variables = environmentOf(env ?? [], () => fault('has an env that is no list of names and values'));
  // A NUL character cannot be passed to a program, and the error of Node.js would quote it.
  if ([command, ...argumentTexts, ...Object.entries(variables).flat()].some((text) => text.includes('\0'))) {
    throw fault('has a NUL character in its command, args or env');
  }
  return {
    command: relative ? resolve(dirname(user.file), command) : command,
    args: argumentTexts,
    env: variables,
    apiVersion,
    ...(provideClusterInfo === true ? { cluster: clusterInfo(cluster, ca) } : {}),
  };
}

function textsOf(value: unknown, fault: () => Error): string[] {
  if (!Array.isArray(value)) throw fault();
  return value.map((text: unknown) => textOf(text, fault));
}

function environmentOf(value: unknown, fault: () => Error): Record<string, string> {
  if (!Array.isArray(value)) throw fault();
  const variables: Record<string, string> = {};
  for (const entry of value as unknown[]) {
    if (!isRecord(entry) || typeof entry.name !== 'string' || entry.name === '') throw fault();
    variables[entry.name] = textOf(entry.value, fault);
  }
  return variables;
}

function textOf(value: unknown, fault: () => Error): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw fault();
  return value;
}

function clusterInfo(cluster: KubeconfigCluster, ca: string | undefined): Record<string, unknown> {
  return {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName || undefined,
    'insecure-skip-tls-verify': cluster.skipTLSVerify ? true : undefined,
    'proxy-url': cluster.proxyUrl || undefined,
    'certificate-authority-data': ca === undefined ? undefined : Buffer.from(ca).toString('base64'),
  };
}

async function readPem(kubeconfig: string, what: string, data: string, file: string): Promise<string | undefined> {
  if (data !== '') return Buffer.from(data, 'base64').toString('utf8');
  if (file === '') return undefined;
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
