import { execFile } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const MODULES = join(ROOT, 'node_modules');
const OLD_PROJECT = join(ROOT, 'test', 'fixtures', 'project-of-0.1');

export interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** Builds the package and packs it for publishing. @returns the file. */
export async function packPackage(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: ROOT });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as { filename: string }[];
  return join(folder, packed?.filename ?? '');
}

/** A folder outside the repository with the packed package and its declared dependencies. */
export async function installPacked(folder: string): Promise<string> {
  const installed = join(folder, 'node_modules', 'evenkeel');
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', await packPackage(folder), '--strip-components=1', '-C', installed]);
  const authors = ['@types/node', 'undici-types', 'typescript', 'esbuild'];
  for (const name of [...Object.keys(manifest.dependencies), ...authors]) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(MODULES, name), link);
  }
  return installed;
}

/**
 * Writes the project that `evenkeel init` of release 0.1 wrote. It never changes, because it stands for existing
 * projects of authors.
 */
export function writeOldProject(folder: string): void {
  for (const file of globSync('**/*.txt', { cwd: OLD_PROJECT })) {
    const path = join(folder, file.replace(/\.txt$/, ''));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, readFileSync(join(OLD_PROJECT, file)));
  }
}
