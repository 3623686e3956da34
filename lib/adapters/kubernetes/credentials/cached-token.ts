import type { Clock } from '../../../ports/clock.ts';
import { CredentialsError, type TokenSource } from './token-source.ts';

export interface FetchedToken {
  readonly token: string;
  /** How long after the fetch began it is fetched again; absent: only once the server refused it. */
  readonly refreshInMs?: number;
  /** How long after the fetch began it counts no more, where that is known. */
  readonly expiresInMs?: number;
}

/** Times are of this process's monotonic clock: a wall clock that is set makes no token younger or older. */
interface KeptToken {
  readonly token: string;
  readonly refreshAtMs: number;
  readonly expiresAtMs: number;
}

/** How soon a fetch that failed is tried again, while the token before still serves. */
const RETRY_AFTER_MS = 10_000;

/**
 * Keeps a fetched token until it is due or refused. However many calls want one at once, it is fetched once.
 *
 * While a fetch that is due fails, the token before stays, as in client-go (`transport/token_source.go`): whoever keeps
 * the tokens may be out for longer than they are read anew. It stays until its own end, until the server refuses it, or
 * until its source says that there is none any more (`CredentialsError.gone`): what was deleted on purpose is not used on.
 */
export class CachedToken implements TokenSource {
  readonly kind: TokenSource['kind'];
  readonly #clock: Clock;
  readonly #fetch: () => Promise<FetchedToken>;
  #cached: KeptToken | undefined;
  #fetching: Promise<KeptToken> | undefined;

  constructor(kind: TokenSource['kind'], clock: Clock, fetch: () => Promise<FetchedToken>) {
    this.kind = kind;
    this.#clock = clock;
    this.#fetch = fetch;
  }

  async current(): Promise<string> {
    const cached = this.#cached;
    if (cached !== undefined && this.#clock.monotonic() < cached.refreshAtMs) return cached.token;
    this.#fetching ??= this.#fetchOrKeep(cached).finally(() => {
      this.#fetching = undefined;
    });
    this.#cached = await this.#fetching;
    return this.#cached.token;
  }

  async #fetchOrKeep(before: KeptToken | undefined): Promise<KeptToken> {
    const startedAtMs = this.#clock.monotonic();
    try {
      const { token, refreshInMs = Infinity, expiresInMs = Infinity } = await this.#fetch();
      return { token, refreshAtMs: startedAtMs + refreshInMs, expiresAtMs: startedAtMs + expiresInMs };
    } catch (error) {
      if (error instanceof CredentialsError && error.gone) this.#cached = undefined;
      const nowMs = this.#clock.monotonic();
      // Refused meanwhile, or gone: no longer the one that is kept.
      const isKept = before !== undefined && this.#cached === before;
      if (!isKept || nowMs >= before.expiresAtMs) throw error;
      return { ...before, refreshAtMs: Math.min(nowMs + RETRY_AFTER_MS, before.expiresAtMs) };
    }
  }

  refused(token: string): void {
    if (this.#cached?.token === token) this.#cached = undefined;
  }
}
