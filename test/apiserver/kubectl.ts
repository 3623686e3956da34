import { execFile, execFileSync, spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { kubeconfigText, type ServedApi } from '../../cli/local/kubeconfig-text.ts';

const run = promisify(execFile);

/** The reason why the tests with kubectl cannot run here; undefined when they can. */
export function kubectlMissing(): string | undefined {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'kubectl is not on the PATH';
  }
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A kubectl with its own configuration and caches, in a directory that `remove` deletes. */
export class Kubectl {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Uses the kubeconfig that evenkeel prints. */
  static async at(server: ServedApi): Promise<Kubectl> {
    const directory = await mkdtemp(join(tmpdir(), 'evenkeel-kubectl-'));
    await writeFile(join(directory, 'config'), kubeconfigText(server));
    return new Kubectl(directory);
  }

  /** Uses the current context of a kubeconfig with absolute paths. */
  static async with(kubeconfig: string): Promise<Kubectl> {
    const directory = await mkdtemp(join(tmpdir(), 'evenkeel-kubectl-'));
    await copyFile(kubeconfig, join(directory, 'config'));
    return new Kubectl(directory);
  }

  async remove(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** Writes manifests to a file and returns its path. */
  async file(name: string, ...objects: readonly unknown[]): Promise<string> {
    const path = join(this.#directory, name);
    await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    return path;
  }

  /** Writes a program to a file and returns its path. */
  async script(name: string, text: string): Promise<string> {
    const path = join(this.#directory, name);
    await writeFile(path, text);
    return path;
  }

  /** Runs a command to its end, whatever the exit code. */
  async try(args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> {
    try {
      const { stdout, stderr } = await run('kubectl', args, { env: this.#environment(environment) });
      return { code: 0, stdout, stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code?: number; stdout?: string; stderr?: string };
      return { code: code ?? 1, stdout: stdout ?? '', stderr: stderr ?? '' };
    }
  }

  /** Runs a command and returns its output. @throws Error with kubectl's message when the command fails. */
  async run(args: readonly string[], environment: Record<string, string> = {}): Promise<string> {
    const { code, stdout, stderr } = await this.try(args, environment);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} failed: ${stderr}`);
    return stdout;
  }

  /** Starts a command that keeps running, such as a watch, and returns its lines one by one. */
  start(args: readonly string[]): { lines: AsyncIterator<string>; stop: () => void } {
    const child = spawn('kubectl', args, { env: this.#environment({}), stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return { lines, stop: () => child.kill() };
  }

  #environment(more: Record<string, string>): NodeJS.ProcessEnv {
    const { PATH = '' } = process.env;
    return { PATH, HOME: this.#directory, KUBECONFIG: join(this.#directory, 'config'), ...more };
  }
}
