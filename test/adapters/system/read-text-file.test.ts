import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKubeconfig } from '../../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { tokenFile } from '../../../lib/adapters/kubernetes/credentials/token-file.ts';
import { readTextFile } from '../../../lib/adapters/system/read-text-file.ts';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { readText } from '../../../lib/deployment/files/read-text.ts';
import { loadSettings } from '../../../lib/deployment/settings/load-settings.ts';

let directory: string;
let large: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'evenkeel-files-'));
  large = join(directory, 'large');
  await writeFile(large, Buffer.alloc(9 * 1_048_576, '#'));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** A file without an end, if the system has one. */
const ENDLESS = '/dev/zero';

describe('a file that is read whole', () => {
  it('a file is read as UTF-8, up to exactly its limit', async () => {
    const path = join(directory, 'small');
    const text = '\u0436'.repeat(5);
    await writeFile(path, text);
    expect(await readTextFile(path, 10)).toBe(text);
    expect(readText(path, 10)).toBe(text);
    await expect(readTextFile(path, 9)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    expect(() => readText(path, 9)).toThrow(expect.objectContaining({ code: 'EFBIG' }));
  });

  it.each([
    ['a file of 9 MiB', () => large],
    ['a device without an end', () => ENDLESS],
  ])('R-5.18 a file that is too large is refused by name: %s', async (_, path) => {
    await expect(readTextFile(path())).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    expect(() => readText(path())).toThrow(expect.objectContaining({ code: 'EFBIG' }));
    expect(() => loadSettings(path())).toThrow(new RegExp(`${path()}.*EFBIG`));
    await expect(tokenFile(path(), new SystemClock()).current()).rejects.toThrow(new RegExp(path()));
  });

  it('R-5.18 a kubeconfig that is too large is refused by name', async () => {
    const options = { environment: { KUBECONFIG: large }, clock: new SystemClock(), homeDirectory: directory };
    const refusal = { code: 'FILE_TOO_LARGE', message: expect.stringContaining(large) };
    await expect(loadKubeconfig(options as never)).rejects.toMatchObject(refusal);
  });
});
