import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildApiServer } from './build.ts';
import { type ApiServer, type ApiServerAddress, connectApiServer } from './connect-api-server.ts';

export interface RealApiServerOptions {
  /** A snapshot to start from, instead of an empty cluster. */
  readonly restoreFrom?: string;
}

/** A control plane of one's own: kube-apiserver, etcd, garbage collection and namespace deletion in one process. */
export interface RealApiServer extends ApiServer {
  readonly address: ApiServerAddress;
  readonly pid: number;
  /** How long the process took from its start until /readyz was ok, in milliseconds. */
  readonly startupMs: number;
  /** Resolves when the process has ended, with its exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  /**
   * Makes the server forget its history: older resourceVersions and continue tokens get 410 from here on, open watches
   * end, and requests may be answered 429 meanwhile (about a second). Resolves with the oldest version still known.
   */
  compact(): Promise<number>;
  /** Writes all that is stored to a new file, for `restoreFrom`. Resolves with the file's path. */
  snapshot(): Promise<string>;
  /**
   * Ends and starts the control plane as a crash would, at the same address and with the same certificates and tokens.
   * With `restoreFrom` it comes back as of that snapshot, resourceVersions included. Requests made meanwhile wait.
   */
  restart(options?: RealApiServerOptions): Promise<void>;
  /** Ends the process and removes its files. Rejects if it did not end cleanly. */
  stop(): Promise<void>;
}

interface ReadyMessage extends ApiServerAddress {
  readonly event: 'ready';
  readonly pid: number;
  readonly startupMs: number;
}

/** One line of the process's standard output. */
type Message =
  | ReadyMessage
  | { readonly event: 'done'; readonly cmd: string; readonly revision?: number }
  | { readonly event: 'failed'; readonly cmd: string; readonly error: string };

interface Command {
  readonly cmd: 'compact' | 'snapshot' | 'restart';
  readonly file?: string;
}

const shownLogLines = 30;

/**
 * Boots a control plane in a directory of its own on a free loopback port, building the binary first if need be.
 * The process ends with this one, however this one ends.
 *
 * @throws Error with the end of the server's log if it does not come up.
 */
export async function startRealApiServer(options: RealApiServerOptions = {}): Promise<RealApiServer> {
  const binary = await buildApiServer(console.log);
  const directory = await mkdtemp(join(tmpdir(), 'evenkeel-apiserver-'));
  const logFile = join(directory, 'server.log');
  const log = await open(logFile, 'w');
  const child = spawn(binary, [`-directory=${directory}`, '-temporary', ...restoreFlag(options)], {
    stdio: ['pipe', 'pipe', log.fd],
  });
  await log.close();
  const conversation = new Conversation(child, logFile);
  const removeFiles = () => rm(directory, { recursive: true, force: true });
  let snapshots = 0;

  const ready = await conversation.ready().catch(async (error: unknown) => {
    child.kill('SIGKILL');
    await removeFiles();
    throw error;
  });
  const { url, caFile, adminToken, kubeconfigPath, auditLogFile, pid, startupMs } = ready;
  const address: ApiServerAddress = { url, caFile, adminToken, kubeconfigPath, auditLogFile };
  const api = await connectApiServer(address);

  return {
    ...api,
    address,
    pid,
    startupMs,
    exited: conversation.exited,
    async compact() {
      const { revision } = await conversation.ask({ cmd: 'compact' });
      return revision ?? 0;
    },
    async snapshot() {
      snapshots += 1;
      const file = join(directory, `snapshot-${snapshots}.db`);
      await conversation.ask({ cmd: 'snapshot', file });
      return file;
    },
    async restart({ restoreFrom } = {}) {
      await conversation.ask({ cmd: 'restart', ...(restoreFrom !== undefined && { file: restoreFrom }) });
    },
    async stop() {
      await api.disconnect();
      child.stdin?.end();
      const code = await conversation.exited;
      const problem = code === 0 ? undefined : new Error(await conversation.obituary());
      await removeFiles();
      if (problem !== undefined) {
        throw problem;
      }
    },
  };
}

function restoreFlag({ restoreFrom }: RealApiServerOptions): string[] {
  return restoreFrom === undefined ? [] : [`-restore-from=${restoreFrom}`];
}

/** Commands to the process and its answers, one at a time. */
class Conversation {
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #logFile: string;
  readonly #messages: AsyncIterator<string>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(child: ChildProcess, logFile: string) {
    this.#child = child;
    this.#logFile = logFile;
    this.exited = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    if (child.stdout === null) {
      throw new Error('the API server was started without a pipe for its messages');
    }
    this.#messages = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    // Writing to a process that ended shows as the end of its messages, with the reason.
    child.stdin?.on('error', () => {});
  }

  /** @throws Error with the end of the log if the process ends instead. */
  async ready(): Promise<ReadyMessage> {
    const message = await this.#nextMessage();
    if (message.event !== 'ready') {
      throw new Error(`The API server said ${JSON.stringify(message)} where it should say that it is ready.`);
    }
    return message;
  }

  /** @throws Error with the process's own words if it could not carry out the command. */
  ask(command: Command): Promise<{ readonly revision?: number }> {
    const answer = this.#last.then(async () => {
      this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
      const message = await this.#nextMessage();
      if (message.event === 'failed') {
        throw new Error(`The API server could not ${command.cmd}: ${message.error}`);
      }
      return 'revision' in message && message.revision !== undefined ? { revision: message.revision } : {};
    });
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #nextMessage(): Promise<Message> {
    const line = await this.#messages.next();
    if (line.done === true) {
      throw new Error(await this.obituary());
    }
    return JSON.parse(line.value) as Message;
  }

  /** How the process ended and the last it logged. */
  async obituary(): Promise<string> {
    const code = await this.exited;
    const lines = (await readFile(this.#logFile, 'utf8')).trimEnd().split('\n');
    return `The API server ended with ${code ?? this.#child.signalCode}. Its log ends:\n${lines.slice(-shownLogLines).join('\n')}`;
  }
}
