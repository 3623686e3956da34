import type { Clock } from '../../../ports/clock.ts';
import type { TokenSource } from './token-source.ts';

export interface FetchedToken {
  readonly token: string;
  /** Epoch ms from which it is fetched anew; absent: only once the server refused it. */
  readonly refreshAtMs?: number;
}

/** Keeps a fetched token until it is due or refused. However many calls want one at once, it is fetched once. */
export class CachedToken implements TokenSource {
  readonly kind: TokenSource['kind'];
  readonly #clock: Clock;
  readonly #fetch: () => Promise<FetchedToken>;
  #cached: FetchedToken | undefined;
  #fetching: Promise<FetchedToken> | undefined;

  constructor(kind: TokenSource['kind'], clock: Clock, fetch: () => Promise<FetchedToken>) {
    this.kind = kind;
    this.#clock = clock;
    this.#fetch = fetch;
  }

  async current(): Promise<string> {
    const cached = this.#cached;
    if (cached !== undefined && (cached.refreshAtMs === undefined || this.#clock.now() < cached.refreshAtMs)) {
      return cached.token;
    }
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    this.#cached = await this.#fetching;
    return this.#cached.token;
  }

  refused(token: string): void {
    if (this.#cached?.token === token) this.#cached = undefined;
  }
}
