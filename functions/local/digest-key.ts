import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { readText } from '../files/read-text.ts';

const MINIMUM_BYTES = 16;
const GENERATED_BYTES = 32;

/**
 * The installation's key for comparing content, without the line end that editors add.
 * @throws EvenkeelError DIGEST_KEY, without a word of what the file holds.
 */
export function readDigestKey(file: string): string {
  let key: string;
  try {
    key = readText(file).trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new EvenkeelError(
      'DIGEST_KEY',
      `${file}, which groups.secret-contract.mutation.digestKeyFile names, cannot be read (${code}). Correct the path, or leave it out to have a key made.`,
      { cause: error },
    );
  }
  if (Buffer.byteLength(key) >= MINIMUM_BYTES) return key;
  throw new EvenkeelError(
    'DIGEST_KEY',
    `${file} holds fewer than ${MINIMUM_BYTES} bytes. Put a longer random key there, e.g. by: openssl rand -hex 32 > ${file}`,
  );
}

/** Reads the key, or makes one that only this user can read. */
export function keptDigestKey(file: string): string {
  try {
    writeFileSync(file, `${randomBytes(GENERATED_BYTES).toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readDigestKey(file);
}
