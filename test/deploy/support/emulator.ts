import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../e2e/support/eventually.ts';

export const EMULATOR_REGION = 'eu-central-1';
export const EMULATOR_ACCOUNT = '000000000000';

/** The folder of reports for a person who investigates a failure. */
const REPORTS = fileURLToPath(new URL('../../../.ci/reports', import.meta.url));

/** AWS on this machine: ministack, as a process with a folder for its files. */
export class Emulator implements AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  private readonly child: ChildProcess;
  private readonly ended: Promise<number | null>;

  private constructor(child: ChildProcess, url: string, folder: string) {
    this.child = child;
    this.url = url;
    this.folder = folder;
    this.ended = new Promise((resolve) => child.once('exit', resolve));
  }

  /**
   * @param port on which it listens. @param endpointOfFunctions where functions find AWS: the emulator, or a proxy
   * before it.
   */
  static async start(port: number, endpointOfFunctions: string): Promise<Emulator> {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-aws-'));
    for (const name of ['tmp', 'state', 's3']) mkdirSync(join(folder, name));
    const child = spawn('ministack', [], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        BIND_HOST: '127.0.0.1',
        GATEWAY_PORT: String(port),
        SFTP_ENABLED: '0',
        MINISTACK_REGION: EMULATOR_REGION,
        TMPDIR: join(folder, 'tmp'),
        STATE_DIR: join(folder, 'state'),
        S3_DATA_DIR: join(folder, 's3'),
        AWS_ENDPOINT_URL: endpointOfFunctions,
        AWS_SECRET_ACCESS_KEY: 'test',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const log = createWriteStream(join(folder, 'log'));
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    child.once('exit', () => log.end());
    // Also when the tests fail or are stopped.
    process.once('exit', () => child.kill('SIGKILL'));
    const emulator = new Emulator(child, `http://127.0.0.1:${port}`, folder);
    await eventually('emulator of AWS that answers', () => emulator.isHealthy(), 60_000);
    return emulator;
  }

  /**
   * Everything that the emulator and the functions have written so far. A function's lines appear when its invocation
   * ends.
   */
  log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8');
  }

  /** The function processes that exist now. */
  functionProcesses(): { readonly pid: number; readonly functionName: string }[] {
    return readdirSync('/proc').flatMap((entry) => {
      const pid = Number(entry);
      const command = Number.isInteger(pid) && this.isOwn(pid) ? readText(`/proc/${pid}/cmdline`) : '';
      const functionName = /ministack-lambda-(.+)-[a-z0-9_]{8}\//.exec(command)?.[1];
      return functionName === undefined ? [] : [{ pid, functionName }];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const functions = this.functionProcesses();
    this.child.kill('SIGKILL');
    await this.ended;
    for (const { pid } of functions) signalProcess(pid, 'SIGKILL');
    mkdirSync(REPORTS, { recursive: true });
    copyFileSync(join(this.folder, 'log'), join(REPORTS, 'emulator.log'));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async isHealthy(): Promise<true | undefined> {
    if (this.child.exitCode !== null) throw new Error(`ministack ended with ${this.child.exitCode}:\n${this.log()}`);
    try {
      return (await fetch(`${this.url}/_ministack/health`)).ok ? true : undefined;
    } catch {
      return undefined;
    }
  }

  private isOwn(pid: number): boolean {
    const stat = readText(`/proc/${pid}/stat`);
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === this.child.pid;
  }
}

/** Kills a process, or stops it without ending it, if it still exists. */
export function signalProcess(pid: number, signal: 'SIGKILL' | 'SIGSTOP'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended by itself.
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
