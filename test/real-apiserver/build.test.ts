import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { buildApiServer } from './build.ts';

let folder: string;
let said: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evenkeel-build-'));
  said = [];
  await mkdir(join(folder, 'path'));
  vi.stubEnv('PATH', join(folder, 'path'));
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** Puts a `go` on the PATH that "builds" by writing its arguments, and notes each build. */
async function installGo(version: string, exitCode = 0): Promise<void> {
  const script = `#!/bin/sh
if [ "$1" = version ]; then echo "go version go${version} linux/amd64"; exit 0; fi
echo build >> '${join(folder, 'builds')}'
while [ "$1" != -o ]; do shift; done
echo binary > "$2"
exit ${exitCode}
`;
  await writeFile(join(folder, 'path', 'go'), script, { mode: 0o755 });
}

async function builds(): Promise<number> {
  return (await readFile(join(folder, 'builds'), 'utf8')).trim().split('\n').length;
}

const build = () => buildApiServer((line) => said.push(line));

test('a version of the source is built once, and said so; another Go builds another', async () => {
  await installGo('1.26.3');
  const binary = await build();
  expect(await readFile(binary, 'utf8')).toBe('binary\n');
  expect(said).toHaveLength(2);
  expect(await build()).toBe(binary);
  expect(await builds()).toBe(1);
  expect(said).toHaveLength(2);

  await installGo('1.27.0');
  expect(await build()).not.toBe(binary);
  expect(await builds()).toBe(2);
});

test('of several that ask at the same time one builds, and nothing but the binary is left', async () => {
  await installGo('1.26.3');
  const [first, second, third] = await Promise.all([build(), build(), build()]);
  expect(new Set([first, second, third]).size).toBe(1);
  expect(await builds()).toBe(1);
  expect(await readdir(dirname(first))).toEqual(['apiserver']);
});

test('a lock whose owner is gone does not hold a build up', async () => {
  await installGo('1.26.3');
  const binary = await build();
  const owner = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(owner, 'exit');
  await rm(binary);
  await writeFile(join(dirname(binary), 'lock'), String(owner.pid));

  expect(await build()).toBe(binary);
  expect(await builds()).toBe(2);
});

test('a failed build leaves no binary and no lock behind', async () => {
  await installGo('1.26.3', 3);
  await expect(build()).rejects.toThrow(/"go build" in .* ended with 3/);
  const [version] = await readdir(join(folder, 'cache', 'evenkeel', 'apiserver'));
  expect(await readdir(join(folder, 'cache', 'evenkeel', 'apiserver', version ?? ''))).toEqual([]);
});

test('R-6.4 without Go, or with an old one, the error says what to install', async () => {
  await expect(build()).rejects.toThrow(/"go version" failed here\. Install Go 1\.26 or newer/);
  await installGo('1.25.9');
  await expect(build()).rejects.toThrow(/this is "go version go1\.25\.9 .*Install Go 1\.26 or newer/);
});

test('R-6.4 the conformance command without Go says so and exits with 1', async () => {
  const script = join(import.meta.dirname, 'conformance.ts');
  const failure = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, [script], { env: process.env }, (error, _stdout, stderr) =>
      resolve({ code: error?.code, stderr }),
    );
  });
  expect(failure.code).toBe(1);
  expect(failure.stderr).toContain('Install Go 1.26 or newer');
});
