import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { readText } from '../../lib/deployment/files/read-text.ts';
import { writeWhole } from '../../lib/deployment/files/write-whole.ts';

const MINIMUM_BYTES = 16;
const GENERATED_BYTES = 32;

/**
 * The installation's key for comparing content, without the line end that editors add.
 * @throws EvenkeelError DIGEST_KEY, without a word of what the file holds.
 */
export function readDigestKey(file: string): string {
  return readKey(file, (code) => {
    const field = 'groups.secret-contract.mutation.digestKeyFile';
    return `${file}, which ${field} names, cannot be read (${code}). Correct the path, or remove it: then a key is made.`;
  });
}

/** @param unreadable the message for a file that cannot be read, by the code of the error. */
function readKey(file: string, unreadable: (code: string) => string): string {
  let key: string;
  try {
    key = readText(file).trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new EvenkeelError('DIGEST_KEY', unreadable(code), { cause: error });
  }
  if (Buffer.byteLength(key) >= MINIMUM_BYTES) return key;
  throw new EvenkeelError(
    'DIGEST_KEY',
    `${file} holds fewer than ${MINIMUM_BYTES} bytes. Put a longer random key there, e.g. by: openssl rand -hex 32 > ${file}`,
  );
}

/**
 * Reads the key, or makes one that only this user can read. The caller holds the state directory, so that no other
 * process makes one at the same time.
 * @throws EvenkeelError DIGEST_KEY; CANNOT_WRITE, and no key is left behind.
 */
export function keptDigestKey(file: string): string {
  if (!existsSync(file)) writeWhole(file, `${randomBytes(GENERATED_BYTES).toString('hex')}\n`);
  return readKey(file, (code) => {
    const kept = 'the key that content is compared by';
    return `${file}, where ${kept} is kept, cannot be read (${code}). Make it readable, or move it away: then a new one is made.`;
  });
}
