import { execFile } from 'node:child_process';
import type { Clock } from '../../../ports/clock.ts';
import { isRecord, parseJson } from '../status-body.ts';
import { CachedToken, type FetchedToken } from './cached-token.ts';
import { CredentialsError, type TokenSource } from './token-source.ts';

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

/** Less than a request has, so that the error of a plugin that hangs names the plugin, not the server. */
const TIME_LIMIT_MS = 8_000;
const OUTPUT_LIMIT_BYTES = 1024 * 1024;
/** A token is fetched anew this long before it ends, so that it does not end on the way. */
const EXPIRY_MARGIN_MS = 10_000;

/**
 * Runs a credential plugin (kubernetes.io/docs/reference/config-api/client-authentication.v1), without a terminal. Its
 * token is kept until its expirationTimestamp, or until the server refuses it. For local use only.
 * @param environment what the plugin inherits.
 */
export function execToken(
  plugin: ExecPlugin,
  clock: Clock,
  environment: Readonly<Record<string, string | undefined>>,
  timeLimitMs = TIME_LIMIT_MS,
): TokenSource {
  return new CachedToken('exec', clock, async () =>
    readCredential(plugin, await run(plugin, environment, timeLimitMs), clock.now()),
  );
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

function readCredential({ command, apiVersion }: ExecPlugin, output: string, nowMs: number): FetchedToken {
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
  const { token, expirationTimestamp } = status;
  if (typeof token !== 'string' || token === '') {
    throw new CredentialsError(
      `the credential plugin ${command} gave no token. Client certificates from a plugin are not supported.`,
    );
  }
  if (expirationTimestamp === undefined || expirationTimestamp === null) return { token };
  const expiresAtMs = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
  if (Number.isNaN(expiresAtMs)) {
    throw new CredentialsError(`the credential plugin ${command} gave an expirationTimestamp that is no time.`);
  }
  const expiresInMs = expiresAtMs - nowMs;
  return { token, refreshInMs: expiresInMs - EXPIRY_MARGIN_MS, expiresInMs };
}
