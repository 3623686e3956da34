import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

const BIN = fileURLToPath(new URL('../../bin/', import.meta.url));
const OLD = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-bin-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const CLONE = 'cli/main.ts';
const PACKAGE = 'dist/cli/main.js';
const NODE = 'node_modules/node/bin/node';

it.each([
  ['a clone', CLONE, [], 'Run `npm ci` first, or install'],
  ['an installed package', PACKAGE, [], 'Install'],
  ['an installed package that lies beside others', PACKAGE, ['node_modules/zod/package.json'], 'Install'],
  [
    'a clone without the development dependencies',
    CLONE,
    ['node_modules/zod/package.json'],
    '`npm ci` left out the development dependencies, and with them the Node.js that a clone runs on, as it does with NODE_ENV=production. Run `npm ci --include=dev`, or install',
  ],
  [
    'a clone whose install scripts did not run',
    CLONE,
    ['node_modules/node/package.json'],
    'The one that `npm ci` installs is not whole: its install script did not run. Run `npm ci --ignore-scripts=false`, or install',
  ],
  [
    'a clone whose Node.js cannot be started',
    CLONE,
    [NODE],
    'The one in FOLDER/node_modules/node/bin/node cannot be started (EACCES). Run `npm ci --ignore-scripts=false`, or install',
  ],
])('R-6.4 on a Node.js that is too old, %s says what helps there', async (_title, entry, files, advice) => {
  for (const file of ['bin/evenkeel.js', entry, ...files]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  cpSync(BIN, join(folder, 'bin'), { recursive: true });
  const args = ['--import', `data:text/javascript,${encodeURIComponent(OLD)}`, join(folder, 'bin/evenkeel.js')];
  await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
    code: 1,
    stderr: `evenkeel: Node.js 20.19.0 is too old. ${advice.replace('FOLDER', realpathSync(folder))} Node.js 24 or newer.\n`,
  });
});

it.each(['18.20.0', '22.18.0', '23.11.1'])(
  'R-6.4 Node.js %s is too old as well: it has no SQLite that can be used without a warning',
  async (version) => {
    for (const file of ['bin/evenkeel.js', PACKAGE]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    cpSync(BIN, join(folder, 'bin'), { recursive: true });
    const old = OLD.replace('20.19.0', version);
    const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, join(folder, 'bin/evenkeel.js')];
    await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
      code: 1,
      stderr: `evenkeel: Node.js ${version} is too old. Install Node.js 24 or newer.\n`,
    });
  },
);
