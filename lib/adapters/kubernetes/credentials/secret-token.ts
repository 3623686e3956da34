import type { Clock } from '../../../ports/clock.ts';
import type { SecretStore } from '../../../ports/secret-store.ts';
import { CachedToken } from './cached-token.ts';
import { CredentialsError, type TokenSource } from './token-source.ts';

/** The old token may be removed a while after the rotation. */
const REREAD_AFTER_MS = 5 * 60_000;

/** What a bearer token may consist of (RFC 6750, 2.1). */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * A token that others keep in a secret store: read again every five minutes, and once the server refused it. It outlives
 * an outage of the store, but not the secret: once that is deleted, empty or no token, nothing is sent any more.
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
