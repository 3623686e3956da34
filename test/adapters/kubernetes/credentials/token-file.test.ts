import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenFile } from '../../../../lib/adapters/kubernetes/credentials/token-file.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'evenkeel-token-'));
});
afterAll(() => rm(directory, { recursive: true }));

describe('R-5.7 a token in a file', () => {
  it('the token is read again after a minute, and at once when it was refused', async () => {
    const path = join(directory, 'token');
    const clock = new ManualClock();
    const source = tokenFile(path, clock);
    await writeFile(path, 'first\n');
    await expect(source.current()).resolves.toBe('first');
    await writeFile(path, 'second');
    clock.jump(59_999);
    await expect(source.current()).resolves.toBe('first');
    clock.jump(1);
    await expect(source.current()).resolves.toBe('second');
    await writeFile(path, 'third');
    source.refused('second');
    await expect(source.current()).resolves.toBe('third');
  });

  it.each(['SECRET\nx', 'SECRETä', 'SECRET…'])(
    'R-6.4 a token with characters that a header cannot have is named: %j',
    async (token) => {
      const path = join(directory, 'odd');
      await writeFile(path, `${token}\n`);
      const error: Error = await tokenFile(path, new ManualClock())
        .current()
        .then(
          () => Promise.reject(new Error('it was taken')),
          (caught: Error) => caught,
        );
      expect(error.message).toBe(
        `the token file ${path} holds characters other than printable ASCII. Write a token to it.`,
      );
    },
  );

  it('the token stays while its file is empty for a moment, and not when the file is gone', async () => {
    const path = join(directory, 'rewritten');
    const clock = new ManualClock();
    const source = tokenFile(path, clock);
    await writeFile(path, 'first');
    await source.current();
    await writeFile(path, '');
    clock.jump(60_000);
    await expect(source.current()).resolves.toBe('first');
    await rm(path);
    clock.jump(10_000);
    await expect(source.current()).rejects.toThrow('ENOENT');
  });

  it('R-6.4 a file that cannot be read, or is empty, is named', async () => {
    const missing = join(directory, 'missing');
    await expect(tokenFile(missing, new ManualClock()).current()).rejects.toMatchObject({
      code: 'CREDENTIALS_UNAVAILABLE',
      message: `the token file ${missing} cannot be read (ENOENT). Check that it exists and may be read.`,
    });
    const empty = join(directory, 'empty');
    await writeFile(empty, '\n');
    await expect(tokenFile(empty, new ManualClock()).current()).rejects.toThrow(`${empty} is empty`);
  });
});
