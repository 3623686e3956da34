import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writePrivately } from '../../../lib/deployment/files/write-privately.ts';
import { writeWhole } from '../../../lib/deployment/files/write-whole.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-private-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What a program reads from a file that it opened before `write` ran. */
function readThroughOldDescriptor(path: string, write: () => void): string {
  const descriptor = openSync(path, 'r');
  try {
    write();
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

const WRITERS = [
  ['writePrivately', writePrivately],
  ['writeWhole', writeWhole],
] as const;

describe.each(WRITERS)('%s', (_, write) => {
  it.each([
    ['0644', 0o644],
    ['0640', 0o640],
    ['0666', 0o666],
  ])('R-5.24 a program that opened the old file of mode %s cannot read the new text', (_, mode) => {
    const path = join(folder, 'token');
    writeFileSync(path, 'old', { mode });
    expect(readThroughOldDescriptor(path, () => write(path, 'secret'))).toBe('old');
    expect(readFileSync(path, 'utf8')).toBe('secret');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['token']);
  });

  it('R-5.24 a program that opened a leftover unfinished file cannot read the new text', () => {
    const path = join(folder, 'token');
    writeFileSync(`${path}.new`, 'leftover', { mode: 0o644 });
    expect(readThroughOldDescriptor(`${path}.new`, () => write(path, 'secret'))).toBe('leftover');
    expect(readFileSync(path, 'utf8')).toBe('secret');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

describe('writePrivately', () => {
  it('R-5.24 a link to a file stays a link, and the file behind it is replaced', () => {
    const file = join(folder, 'config');
    const link = join(folder, 'link');
    writeFileSync(file, 'old', { mode: 0o644 });
    symlinkSync(file, link);
    expect(readThroughOldDescriptor(file, () => writePrivately(link, 'secret'))).toBe('old');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('secret');
  });

  // A pipe of this test, because an error would change the mode of a device that other programs use.
  it('R-6.4 a pipe is written to and stays as it is', () => {
    const pipe = join(folder, 'pipe');
    expect(spawnSync('mkfifo', ['-m', '644', pipe]).status).toBe(0);
    const descriptor = openSync(pipe, constants.O_RDWR);
    try {
      writePrivately(pipe, 'secret');
      const read = Buffer.alloc(64);
      expect(read.toString('utf8', 0, readSync(descriptor, read))).toBe('secret');
      expect(statSync(pipe).isFIFO()).toBe(true);
      expect(statSync(pipe).mode & 0o777).toBe(0o644);
    } finally {
      closeSync(descriptor);
    }
  });

  it('R-6.4 a failed write leaves the file before as it was', () => {
    const path = join(folder, 'config');
    writeFileSync(path, 'old');
    symlinkSync('/dev/full', `${path}.new`);
    expect(() => writePrivately(path, 'secret')).toThrow('ENOSPC');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['config']);
  });
});
