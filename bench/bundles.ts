import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUNDLES = fileURLToPath(new URL('../dist/functions-bundles/', import.meta.url));

export interface BundleFigures {
  readonly name: string;
  readonly kb: number;
  /** Wall time of importing the bundle in a new process, the shortest of five; Node's own start is taken off. */
  readonly coldImportMs: number;
}

/** Size and cold import time of each function's bundle; empty when none were built. */
export function measureBundles(directory = BUNDLES): BundleFigures[] {
  if (!existsSync(directory)) return [];
  return globSync('**/*.{mjs,js}', { cwd: directory })
    .sort()
    .map((file) => ({
      name: basename(file).replace(/\.m?js$/, ''),
      kb: Math.round(statSync(`${directory}${file}`).size / 1_024),
      coldImportMs: importMs(`${directory}${file}`),
    }));
}

function importMs(file: string): number {
  const script = `const started = performance.now(); await import(${JSON.stringify(file)}).catch(() => undefined); process.stdout.write(String(performance.now() - started)); process.exit(0)`;
  const times = Array.from({ length: 5 }, () =>
    Number(spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout),
  );
  return Math.min(...times);
}
