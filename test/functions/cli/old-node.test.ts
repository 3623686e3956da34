import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

const BIN = fileURLToPath(new URL('../../../bin/evenkeel.js', import.meta.url));
const OLD = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-bin-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each([
  ['a clone', 'functions/cli/main.ts', 'Run `npm ci` first, or install Node.js 22.18 or newer.'],
  ['an installed package', 'dist/functions/cli/main.js', 'Install Node.js 22.18 or newer.'],
])('R-6.4 on a Node.js that is too old, %s says what helps there', async (_title, entry, advice) => {
  for (const file of ['bin/evenkeel.js', entry]) mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, entry), '');
  copyFileSync(BIN, join(folder, 'bin/evenkeel.js'));
  const args = ['--import', `data:text/javascript,${encodeURIComponent(OLD)}`, join(folder, 'bin/evenkeel.js')];
  await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
    code: 1,
    stderr: `evenkeel: Node.js 20.19.0 is too old. ${advice}\n`,
  });
});
