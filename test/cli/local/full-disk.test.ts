import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../cli/commands.ts';
import { runCommandLine } from '../../../cli/run-command-line.ts';
import { keptSecret } from '../../../cli/state/local-secrets.ts';
import { type RunRecord, readRunRecord, writeRunRecord } from '../../../cli/state/run-record.ts';
import { claimStateDirectory } from '../../../cli/state/state-directory.ts';
import { DIGEST_KEY } from '../../../lib/controllers/digest-key.ts';
import { EvenkeelError } from '../../../lib/core/errors.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-full-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const RECORD = { pid: process.pid } as unknown as RunRecord;

/** What stands where a file is to be written, or read. */
const IN_THE_WAY: Readonly<Record<string, (path: string) => void>> = {
  'a full disk': (path) => symlinkSync('/dev/full', `${path}.new`),
  'a folder in place of the file': (path) => mkdirSync(join(path, 'inner'), { recursive: true }),
  'a folder in place of the unfinished file': (path) => mkdirSync(`${path}.new`),
};
const WHY: Readonly<Record<string, RegExp>> = {
  'a full disk': /the disk is full \(ENOSPC\)\. Make room on it, or name another folder with --state-dir DIR\./,
  'a folder in place of the file': /a folder stands in its place \((?:EISDIR|ENOTEMPTY)\)\. Move the folder away, or/,
  'a folder in place of the unfinished file': /a folder stands in its place \(EISDIR\)\. Move the folder away, or/,
};
const CASES = Object.keys(IN_THE_WAY);

function caught(call: () => unknown): EvenkeelError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(EvenkeelError);
    return error as EvenkeelError;
  }
  throw new Error('nothing was thrown');
}

describe('what is in the way of a file in the state directory', () => {
  it.each(CASES)('R-6.4 %s: run.json says so, is as it was, and the folder can be given back', (what) => {
    const state = claimStateDirectory(folder, process.pid);
    const path = join(folder, 'run.json');
    IN_THE_WAY[what]?.(path);
    const { code, message } = caught(() => writeRunRecord(folder, RECORD));
    expect(code).toBe('CANNOT_WRITE');
    expect(message).toContain(`${path} cannot be written: `);
    expect(message).toMatch(WHY[what] ?? /-/);
    expect(existsSync(path) && !statSync(path).isDirectory()).toBe(false);
    state.release();
    expect(readdirSync(folder)).not.toContain('lock');
    if (what === 'a full disk') expect(readdirSync(folder)).toEqual([]);
  });

  it('R-6.4 a folder in place of run.json does not mean that nothing runs', () => {
    mkdirSync(join(folder, 'run.json'));
    expect(caught(() => readRunRecord(folder))).toMatchObject({
      code: 'BROKEN_STATE',
      message: expect.stringContaining('run.json cannot be read: a folder stands in its place (EISDIR)'),
    });
    expect(caught(() => readRunRecord(join(folder, 'none'))).code).toBe('NOT_RUNNING');
  });

  it('R-6.4 a folder in place of the lock does not count as another process', () => {
    mkdirSync(join(folder, 'lock'));
    const { code, message } = caught(() => claimStateDirectory(folder, process.pid));
    expect(code).toBe('STATE_DIRECTORY');
    expect(message).toContain('lock: a folder stands in its place (EISDIR). Move the folder away');
  });

  it.each(CASES)('R-6.4 %s: the key for comparing content says so, and none is left half written', (what) => {
    const path = join(folder, 'digest-key');
    IN_THE_WAY[what]?.(path);
    const { message } = caught(() => keptSecret(DIGEST_KEY, path));
    expect(message).toContain(path);
    expect(message).not.toContain('digestKeyFile');
    if (what === 'a full disk') {
      expect(readdirSync(folder)).toEqual([]);
      expect(keptSecret(DIGEST_KEY, path)).toBe(keptSecret(DIGEST_KEY, path));
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
  });

  it.each([
    ['run.json', 'a full disk', 'run.json cannot be written: the disk is full (ENOSPC)'],
    ['run.json', 'a folder in place of the file', 'run.json cannot be written: a folder stands in its place'],
    ['kubeconfig', 'a folder in place of the file', 'the kubeconfig cannot be written to'],
  ])('R-6.4 evenkeel start ends with what to do when %s meets %s', async (file, what, expected) => {
    mkdirSync(join(folder, 'state'));
    IN_THE_WAY[what]?.(join(folder, 'state', file));
    const terminal = new RecordedTerminal();
    const args = ['start', '--empty', '--state-dir', join(folder, 'state')];
    const code = await runCommandLine(args, terminal, COMMANDS, () => 'unforeseen');
    expect(terminal.errLines.join('\n')).toContain(expected);
    expect(terminal.errLines.join('\n')).not.toMatch(/unforeseen|internal error/);
    expect([code, terminal.outLines]).toEqual([1, []]);
    expect(readdirSync(join(folder, 'state'))).not.toContain('lock');
  });

  it('R-6.4 a kubeconfig that the disk has no room for says so', async () => {
    writeFileSync(join(folder, 'settings.yaml'), '');
    const terminal = new RecordedTerminal();
    const args = ['start', '--empty', '--state-dir', join(folder, 'state'), '--kubeconfig-out', '/dev/full'];
    expect(await runCommandLine(args, terminal, COMMANDS, () => 'unforeseen')).toBe(1);
    expect(terminal.errLines.join('\n')).toContain('/dev/full: the disk is full (ENOSPC). Make room on it, or name');
  });
});
