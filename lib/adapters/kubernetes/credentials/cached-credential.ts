import type { Clock } from '../../../ports/clock.ts';
import { CredentialsError } from './token-source.ts';

/** How long what was fetched serves, counted from when the fetch began. */
export interface Lifetime {
  /** From then on the next one is fetched while this one still serves, so that nothing waits for it. */
  readonly renewInMs?: number;
  /** From then on it is fetched again before it is used; absent: only once the server refused it. */
  readonly refreshInMs?: number;
  /** From then on it counts no more, where that is known. */
  readonly expiresInMs?: number;
}

/** Times are of this process's monotonic clock: a wall clock that is set makes nothing younger or older. */
interface Kept<Credential> {
  readonly credential: Credential;
  readonly renewAtMs: number;
  readonly refreshAtMs: number;
  readonly expiresAtMs: number;
}

/** How soon a fetch that failed is tried again, while the credential before still serves. */
const RETRY_AFTER_MS = 10_000;

/**
 * Keeps a fetched credential until it is due or refused. However many calls want one at once, it is fetched once.
 *
 * When a fetch that is due fails, the credential stays, as in client-go (`transport/token_source.go`), because its source
 * may be unreachable for longer than the credential is kept. It stays until it expires, until the server refuses it, or
 * until the source reports that there is none any more (`CredentialsError.gone`), because it was then deleted on purpose.
 */
export class CachedCredential<Credential> {
  readonly #clock: Clock;
  readonly #fetch: () => Promise<Lifetime & { readonly credential: Credential }>;
  #cached: Kept<Credential> | undefined;
  #fetching: Promise<Kept<Credential>> | undefined;

  constructor(clock: Clock, fetch: () => Promise<Lifetime & { readonly credential: Credential }>) {
    this.#clock = clock;
    this.#fetch = fetch;
  }

  async current(): Promise<Credential> {
    const cached = this.#cached;
    const nowMs = this.#clock.monotonic();
    if (cached !== undefined && nowMs < cached.refreshAtMs) {
      // A failure is reported to the caller that needs a credential after this one has expired.
      if (nowMs >= cached.renewAtMs) this.#renewed(cached).catch(() => undefined);
      return cached.credential;
    }
    return (await this.#renewed(cached)).credential;
  }

  refused(isRefused: (credential: Credential) => boolean): void {
    if (this.#cached !== undefined && isRefused(this.#cached.credential)) this.#cached = undefined;
  }

  #renewed(before: Kept<Credential> | undefined): Promise<Kept<Credential>> {
    this.#fetching ??= this.#fetchOrKeep(before)
      .then((kept) => {
        this.#cached = kept;
        return kept;
      })
      .finally(() => {
        this.#fetching = undefined;
      });
    return this.#fetching;
  }

  async #fetchOrKeep(before: Kept<Credential> | undefined): Promise<Kept<Credential>> {
    const startedAtMs = this.#clock.monotonic();
    try {
      const { credential, refreshInMs = Infinity, expiresInMs = Infinity, ...more } = await this.#fetch();
      return {
        credential,
        renewAtMs: startedAtMs + (more.renewInMs ?? Infinity),
        refreshAtMs: startedAtMs + refreshInMs,
        expiresAtMs: startedAtMs + expiresInMs,
      };
    } catch (error) {
      if (error instanceof CredentialsError && error.gone) this.#cached = undefined;
      const nowMs = this.#clock.monotonic();
      // Refused during the fetch, or gone: it is not kept any more.
      const isKept = before !== undefined && this.#cached === before;
      if (!isKept || nowMs >= before.expiresAtMs) throw error;
      const againAtMs = Math.min(nowMs + RETRY_AFTER_MS, before.expiresAtMs);
      return { ...before, renewAtMs: againAtMs, refreshAtMs: Math.max(before.refreshAtMs, againAtMs) };
    }
  }
}
