import type { Clock } from '../../../ports/clock.ts';
import { errorCode } from '../../http/transport-failure.ts';
import { readTextFile } from '../../system/read-text-file.ts';
import { CachedToken } from './cached-token.ts';
import { CredentialsError, isSendable, type TokenSource } from './token-source.ts';

/**
 * The kubelet replaces a projected token when a fifth of its lifetime is left; client-go reads it again in the same
 * interval.
 */
const REREAD_AFTER_MS = 60_000;

/**
 * A token in a file that another program renews. It is read again each minute, and after the server refused it. It
 * stays in use when the file cannot be read or is incomplete, but not when the file was deleted.
 */
export function tokenFile(path: string, clock: Clock): TokenSource {
  return new CachedToken('file', clock, async () => {
    const token = (await read(path)).trim();
    if (token === '') throw new CredentialsError(`the token file ${path} is empty. Write a token to it.`);
    if (!isSendable(token)) {
      throw new CredentialsError(
        `the token file ${path} holds characters other than printable ASCII. Write a token to it.`,
      );
    }
    return { token, refreshInMs: REREAD_AFTER_MS };
  });
}

async function read(path: string): Promise<string> {
  try {
    return await readTextFile(path);
  } catch (error) {
    throw new CredentialsError(
      `the token file ${path} cannot be read (${errorCode(error) ?? 'unknown error'}). Check that it exists and may be read.`,
      { cause: error, gone: errorCode(error) === 'ENOENT' },
    );
  }
}
