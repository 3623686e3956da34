import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles a script of this folder, so that a process of it starts in little time. @returns the bundle's path. */
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
