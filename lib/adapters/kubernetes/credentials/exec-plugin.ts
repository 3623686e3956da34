import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { createSecureContext } from 'node:tls';
import type { Clock } from '../../../ports/clock.ts';
import { errorCode } from '../../http/transport-failure.ts';
import { isRecord, parseJson } from '../status-body.ts';
import { CachedCredential, type Lifetime } from './cached-credential.ts';
import { type CredentialSource, type Credentials, CredentialsError, isSendable } from './token-source.ts';

/** The `exec` section of a kubeconfig user. */
export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `client.authentication.k8s.io/v1` or `v1beta1`. */
  readonly apiVersion: string;
  /** The cluster's description for the plugin, when the kubeconfig has `provideClusterInfo`. */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

/**
 * Half a minute is normal for a plugin that fetches a token over the network or opens a browser. The time-out of a
 * request starts when the plugin has ended (`Transport.ready`).
 */
export const PLUGIN_TIME_LIMIT_MS = 60_000;
const OUTPUT_LIMIT_BYTES = 1024 * 1024;
/** Credentials are fetched again this long before they expire, so that they do not expire during a request. */
const EXPIRY_MARGIN_MS = 10_000;
/** The plugin runs again in the background this long before the credentials expire, so that no request waits for it. */
const RENEWAL_MARGIN_MS = 60_000;

/**
 * Runs a credential plugin (kubernetes.io/docs/reference/config-api/client-authentication.v1), without a terminal. The
 * plugin returns a token, a client certificate or both. They are kept until their expirationTimestamp, or until the
 * server refuses them. For local use only.
 * @param environment what the plugin inherits.
 */
export function execCredentials(
  plugin: ExecPlugin,
  clock: Clock,
  environment: Readonly<Record<string, string | undefined>>,
  timeLimitMs = PLUGIN_TIME_LIMIT_MS,
): CredentialSource {
  const cache = new CachedCredential<Credentials>(clock, async () =>
    readCredential(plugin, await run(plugin, environment, timeLimitMs), clock.now()),
  );
  return { current: () => cache.current(), refused: (refused) => cache.refused((kept) => kept === refused) };
}

/**
 * Runs the plugin in its own process group, so that the time limit also ends the programs that it started. Its error
 * output is dropped. Its output contains credentials, and an error of Node.js may quote arguments: our error contains
 * neither.
 */
function run(
  plugin: ExecPlugin,
  environment: Readonly<Record<string, string | undefined>>,
  timeLimitMs: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new CredentialsError(`the credential plugin ${nameOf(plugin)} ${what}`));
    let child: Plugin;
    try {
      child = start(plugin, environment);
    } catch (error) {
      fail(startFailure(errorCode(error)));
      return;
    }
    let ended: string | undefined;
    const end = (why: string) => {
      ended ??= why;
      killProcessGroup(child);
      child.stdout.destroy();
    };
    const timer = setTimeout(
      () => end(`did not end within ${timeLimitMs / 1_000} s. Run it by hand to see why.`),
      timeLimitMs,
    );
    const output: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > OUTPUT_LIMIT_BYTES) end(`wrote more than ${OUTPUT_LIMIT_BYTES} bytes.`);
      else output.push(chunk);
    });
    child.once('error', (error) => {
      ended ??= startFailure(errorCode(error));
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (ended !== undefined) fail(ended);
      else if (code === 0) resolve(Buffer.concat(output).toString('utf8'));
      else if (code !== null) fail(`exited with code ${code}. Run it by hand to see why.`);
      else fail(`was ended by ${signal ?? 'an unknown cause'}. Run it by hand to see why.`);
    });
  });
}

type Plugin = ChildProcessByStdio<null, Readable, null>;

/** @throws the error of Node.js or of the system when the program cannot be started. */
function start(
  { command, args, env, apiVersion, cluster }: ExecPlugin,
  environment: Readonly<Record<string, string | undefined>>,
): Plugin {
  const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false, ...(cluster ? { cluster } : {}) } };
  return spawn(command, args, {
    env: { ...environment, ...env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

function killProcessGroup(child: Plugin): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process group has ended already.
  }
}

function startFailure(code: string | undefined): string {
  switch (code) {
    case 'ENOENT':
      return 'was not found. Install it, or put it on the PATH.';
    case 'EACCES':
      return 'may not be executed. Check its permissions.';
    case 'E2BIG':
      return 'could not be started: its arguments and environment are too large (E2BIG). Remove provideClusterInfo, or make them smaller.';
    case 'ERR_INVALID_ARG_VALUE':
      return 'could not be started: its command, an argument or its environment holds a NUL character. Remove it.';
    default:
      return `could not be started (${code ?? 'unknown error'}). Run it by hand to see why.`;
  }
}

/** The command as messages show it. */
function nameOf({ command }: ExecPlugin): string {
  return command.replaceAll('\0', '');
}

function readCredential(
  { command, apiVersion }: ExecPlugin,
  output: string,
  nowMs: number,
): Lifetime & { readonly credential: Credentials } {
  const credential = parseJson(output);
  const status = isRecord(credential) ? credential.status : undefined;
  if (!isRecord(credential) || credential.kind !== 'ExecCredential' || !isRecord(status)) {
    throw new CredentialsError(`the credential plugin ${command} did not write an ExecCredential with a status.`);
  }
  if (credential.apiVersion !== apiVersion) {
    throw new CredentialsError(
      `the credential plugin ${command} answered in another version than ${apiVersion}. Name the plugin's version in the kubeconfig.`,
    );
  }
  return { credential: credentialsOf(command, status), ...lifetimeOf(command, status.expirationTimestamp, nowMs) };
}

function credentialsOf(command: string, status: Readonly<Record<string, unknown>>): Credentials {
  const { token, clientCertificateData: certificate, clientKeyData: key } = status;
  const clientCertificate = isText(certificate) && isText(key) ? { certificate, key } : undefined;
  if (isText(certificate) !== isText(key)) {
    throw new CredentialsError(
      `the credential plugin ${command} gave only one of clientCertificateData and clientKeyData. It must give both.`,
    );
  }
  if (!isText(token) && clientCertificate === undefined) {
    throw new CredentialsError(
      `the credential plugin ${command} gave neither a token nor a client certificate. Run it by hand to see why.`,
    );
  }
  if (isText(token) && !isSendable(token)) {
    throw new CredentialsError(
      `the credential plugin ${command} gave a token with characters other than printable ASCII. Run it by hand to see why.`,
    );
  }
  if (clientCertificate !== undefined) checkCertificate(command, clientCertificate);
  return { ...(isText(token) && { token }), ...(clientCertificate !== undefined && { clientCertificate }) };
}

/** Drops OpenSSL's own error, because it may quote the certificate or the key. */
function checkCertificate(command: string, { certificate, key }: { certificate: string; key: string }): void {
  try {
    createSecureContext({ cert: certificate, key });
  } catch {
    throw new CredentialsError(
      `the credential plugin ${command} gave a client certificate or key that is not usable PEM, or that do not belong together.`,
    );
  }
}

function lifetimeOf(command: string, expirationTimestamp: unknown, nowMs: number): Lifetime {
  if (expirationTimestamp === undefined || expirationTimestamp === null) return {};
  const expiresAtMs = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
  if (Number.isNaN(expiresAtMs)) {
    throw new CredentialsError(`the credential plugin ${command} gave an expirationTimestamp that is no time.`);
  }
  const expiresInMs = expiresAtMs - nowMs;
  return {
    renewInMs: Math.max(expiresInMs / 2, expiresInMs - RENEWAL_MARGIN_MS),
    refreshInMs: expiresInMs - EXPIRY_MARGIN_MS,
    expiresInMs,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
