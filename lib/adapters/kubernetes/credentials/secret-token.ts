import type { Clock } from '../../../ports/clock.ts';
import type { SecretStore } from '../../../ports/secret-store.ts';
import { CachedToken } from './cached-token.ts';
import { CredentialsError, type TokenSource } from './token-source.ts';

/** After a rotation the old token must stay valid for at least this time. */
const REREAD_AFTER_MS = 5 * 60_000;

/** The characters of a bearer token (RFC 6750, 2.1). */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * A token from a secret store. It is read again every five minutes, and after the server refused it. It stays in use
 * while the store is unreachable. When the secret is deleted, empty or not a token, no request is sent any more.
 */
export function secretToken(secrets: SecretStore, name: string, clock: Clock): TokenSource {
  return new CachedToken('secret', clock, async () => {
    const token = (await read(secrets, name))?.trim();
    if (token === undefined || token === '') {
      throw new CredentialsError(
        `there is no secret ${name}, or it is empty. Create it with the service account token as its text.`,
        { gone: true },
      );
    }
    if (!TOKEN.test(token)) {
      throw new CredentialsError(
        `the secret ${name} holds something that is no bearer token. Put the token alone there.`,
        { gone: true },
      );
    }
    return { token, refreshInMs: REREAD_AFTER_MS };
  });
}

async function read(secrets: SecretStore, name: string): Promise<string | undefined> {
  try {
    return await secrets.read(name);
  } catch (error) {
    throw new CredentialsError(
      `the secret ${name} could not be read. See that the function's role may read it, and the key that encrypts it.`,
      { cause: error },
    );
  }
}
