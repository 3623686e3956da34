import { execFile } from 'node:child_process';
import { createSecureContext } from 'node:tls';
import type { Clock } from '../../../ports/clock.ts';
import { isRecord, parseJson } from '../status-body.ts';
import { CachedCredential, type Lifetime } from './cached-credential.ts';
import { type CredentialSource, type Credentials, CredentialsError } from './token-source.ts';

/** The `exec` section of a kubeconfig user. */
export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `client.authentication.k8s.io/v1` or `v1beta1`. */
  readonly apiVersion: string;
  /** The cluster to tell it about, when the kubeconfig says `provideClusterInfo`. */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

/**
 * Plugins fetch a token over the network, some by way of a browser: half a minute is no fault. A request's own time begins
 * after it (`Transport.ready`).
 */
export const PLUGIN_TIME_LIMIT_MS = 60_000;
const OUTPUT_LIMIT_BYTES = 1024 * 1024;
/** Credentials are fetched again this long before they expire, so that they do not expire during a request. */
const EXPIRY_MARGIN_MS = 10_000;
/** The plugin runs again in the background this long before the credentials expire, so that no request waits for it. */
const RENEWAL_MARGIN_MS = 60_000;

/**
 * Runs a credential plugin (kubernetes.io/docs/reference/config-api/client-authentication.v1), without a terminal. What it
 * gives, a token, a client certificate or both, is kept until its expirationTimestamp, or until the server refuses it. For
 * local use only.
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

/** The plugin's output holds credentials, and so does Node's error: neither goes into ours. */
function run(
  plugin: ExecPlugin,
  environment: Readonly<Record<string, string | undefined>>,
  timeLimitMs: number,
): Promise<string> {
  const { apiVersion, cluster } = plugin;
  const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false, ...(cluster ? { cluster } : {}) } };
  return new Promise((resolve, reject) => {
    const child = execFile(
      plugin.command,
      plugin.args,
      {
        env: { ...environment, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
        timeout: timeLimitMs,
        killSignal: 'SIGKILL',
        maxBuffer: OUTPUT_LIMIT_BYTES,
        windowsHide: true,
      },
      (error, output) => {
        if (error === null) resolve(output);
        else reject(new CredentialsError(`the credential plugin ${plugin.command} ${failure(error, timeLimitMs)}`));
      },
    );
    child.stdin?.end();
  });
}

function failure(
  error: Error & { code?: string | number | null; killed?: boolean; signal?: string | null },
  timeLimitMs: number,
): string {
  const { code } = error;
  if (code === 'ENOENT') return 'was not found. Install it, or put it on the PATH.';
  if (code === 'EACCES') return 'may not be executed. Check its permissions.';
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `wrote more than ${OUTPUT_LIMIT_BYTES} bytes.`;
  if (typeof code === 'number') return `exited with code ${code}. Run it by hand to see why.`;
  if (error.killed === true) return `did not end within ${timeLimitMs / 1_000} s. Run it by hand to see why.`;
  return `was ended by ${error.signal ?? 'an unknown cause'}. Run it by hand to see why.`;
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
  if (clientCertificate !== undefined) checkCertificate(command, clientCertificate);
  return { ...(isText(token) && { token }), ...(clientCertificate !== undefined && { clientCertificate }) };
}

/** OpenSSL's own error is dropped: it may quote what it could not read. */
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
