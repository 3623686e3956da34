import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../../bin/evenkeel.js', import.meta.url));

export interface Finished {
  /** The exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The command line as a process, in its own folder. */
export class EvenkeelProcess {
  readonly outLines: string[] = [];
  readonly errLines: string[] = [];
  readonly finished: Promise<Finished>;
  private readonly child: ChildProcess;
  private readonly waiting = new Set<() => void>();

  constructor(folder: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [BIN, ...args], {
      cwd: folder,
      env: { ...cleanEnvironment(), HOME: folder, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = Promise.withResolvers<number | null>();
    this.child.once('exit', (code) => ended.resolve(code));
    this.child.once('error', ended.reject);
    const read = [this.follow(this.child.stdout, this.outLines), this.follow(this.child.stderr, this.errLines)];
    this.finished = Promise.all([ended.promise, ...read]).then(([code]) => {
      this.wake();
      return { code, out: this.outLines.join('\n'), err: this.errLines.join('\n') };
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The first matching line of standard output, past or future. Rejects when the process ends without one. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = this.outLines.find((line) => pattern.test(line));
      if (found !== undefined) return found;
      if (!this.isRunning) {
        const { code, out, err } = await this.finished;
        const late = out.split('\n').find((line) => pattern.test(line));
        if (late !== undefined) return late;
        throw new Error(`the process ended with ${code} and never printed ${pattern}:\n${out}\n${err}`);
      }
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  /** Asks it to end, like Ctrl-C or a service manager. */
  async stop(signal: 'SIGINT' | 'SIGTERM' = 'SIGTERM'): Promise<Finished> {
    this.child.kill(signal);
    return await this.finished;
  }

  /** Kills it at once. */
  async kill(): Promise<Finished> {
    this.child.kill('SIGKILL');
    return await this.finished;
  }

  private async follow(stream: NodeJS.ReadableStream | null, lines: string[]): Promise<void> {
    if (stream === null) return;
    for await (const line of createInterface({ input: stream })) {
      lines.push(line);
      this.wake();
    }
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

/** A folder, and the processes that were started in it. Disposing ends the processes and removes the folder. */
export class EvenkeelFolder implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), 'evenkeel-e2e-'));
  readonly processes: EvenkeelProcess[] = [];

  /** Starts a command without waiting for it. */
  spawn(args: readonly string[], environment?: Readonly<Record<string, string>>): EvenkeelProcess {
    const started = new EvenkeelProcess(this.path, args, environment);
    this.processes.push(started);
    return started;
  }

  /** Starts `evenkeel start` and waits until it is ready. */
  async start(args: readonly string[] = []): Promise<EvenkeelProcess> {
    const started = this.spawn(['start', ...args]);
    await started.line(/^ready/);
    return started;
  }

  /** Runs a command to its end. */
  async run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Finished> {
    return await this.spawn(args, environment).finished;
  }

  get kubeconfig(): string {
    return join(this.path, '.evenkeel', 'kubeconfig');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.processes.map((started) => started.kill()));
    rmSync(this.path, { recursive: true, force: true });
  }
}

/**
 * The child must not get the test runner's own settings, nor the kubeconfig or AWS account of the person who runs it.
 */
function cleanEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(?:VITEST|NODE_OPTIONS|NODE_ENV|KUBECONFIG|AWS_|TEST$)/.test(entry[0]),
  );
  return Object.fromEntries(kept);
}
