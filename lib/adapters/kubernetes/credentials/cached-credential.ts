import type { Clock } from '../../../ports/clock.ts';
import { CredentialsError } from './token-source.ts';

/** How long a fetched credential is used. All times count from the start of the fetch. */
export interface Lifetime {
  /** After this time the next credential is fetched in the background, and this one is still used. */
  readonly renewInMs?: number;
  /** After this time the next call waits for a new credential. Absent: only after the server refused this one. */
  readonly refreshInMs?: number;
  /** After this time the credential is invalid. Absent when that is not known. */
  readonly expiresInMs?: number;
}

/** Times of this process's monotonic clock, so a step of the wall clock changes no age. */
interface Kept<Credential> {
  readonly credential: Credential;
  readonly renewAtMs: number;
  readonly refreshAtMs: number;
  readonly expiresAtMs: number;
}

/** The delay after a failed fetch, while the old credential is still used. */
const RETRY_AFTER_MS = 10_000;

/**
 * Keeps a fetched credential until it is due or refused. Concurrent calls share one fetch.
 *
 * When a fetch that is due fails, the old credential stays in use, as in client-go (`transport/token_source.go`),
 * because its source may be unreachable for longer than the credential is kept. That ends when it expires, when the
 * server refuses it, or when the source reports that it was deleted (`CredentialsError.gone`).
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
      // A failure is ignored here. The first caller after the expiry of this credential gets it.
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
      // Refused during the fetch, or deleted: not kept any more.
      const isKept = before !== undefined && this.#cached === before;
      if (!isKept || nowMs >= before.expiresAtMs) throw error;
      const againAtMs = Math.min(nowMs + RETRY_AFTER_MS, before.expiresAtMs);
      return { ...before, renewAtMs: againAtMs, refreshAtMs: Math.max(before.refreshAtMs, againAtMs) };
    }
  }
}
