import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles a script of this folder, so that its processes start fast. @returns the bundle's path. */
export async function bundleScript(name: string, folder: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL(`./${name}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return outfile;
}

export interface Ended {
  readonly lines: string[];
  readonly errors: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Runs a script to its end. */
export function runScript(script: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
    });
    child.stderr.on('data', (data: Buffer) => {
      errors += data.toString();
    });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ lines: output.split('\n').slice(0, -1), errors, code, signal }));
  });
}

export interface Started {
  readonly pid: number;
  /** The first line of output that matches. Rejects when the script ends without it. */
  line(pattern: RegExp): Promise<string>;
  /** Kills it, and waits until it is gone. */
  kill(): Promise<void>;
}

/** Starts a script that runs until it is killed. */
export function startScript(script: string, args: readonly string[]): Started {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  return {
    pid: child.pid ?? 0,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = output
            .split('\n')
            .slice(0, -1)
            .find((line) => pattern.test(line));
          if (found !== undefined) resolve(found);
        };
        child.stdout.on('data', (data: Buffer) => {
          output += data.toString();
          look();
        });
        ended.then(() => reject(new Error(`the script ended without ${pattern}: ${output}`)));
        look();
      }),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
