import type { Clock } from '../../../ports/clock.ts';
import { CachedCredential, type Lifetime } from './cached-credential.ts';
import type { TokenSource } from './token-source.ts';

export interface FetchedToken extends Lifetime {
  readonly token: string;
}

/** A fetched token, kept until it is due or refused. */
export class CachedToken implements TokenSource {
  readonly kind: TokenSource['kind'];
  readonly #cache: CachedCredential<string>;

  constructor(kind: TokenSource['kind'], clock: Clock, fetch: () => Promise<FetchedToken>) {
    this.kind = kind;
    this.#cache = new CachedCredential(clock, async () => {
      const { token: credential, ...lifetime } = await fetch();
      return { ...lifetime, credential };
    });
  }

  current(): Promise<string> {
    return this.#cache.current();
  }

  refused(token: string): void {
    this.#cache.refused((kept) => kept === token);
  }
}
