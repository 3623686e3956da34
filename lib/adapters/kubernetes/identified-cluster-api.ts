import type { Clock } from '../../ports/clock.ts';
import type { ClusterApi } from '../../ports/cluster-api.ts';

export interface IdentifiedClusterApiOptions {
  readonly api: ClusterApi;
  /** Rejects when the API server is not that of the cluster that was registered, or does not say. */
  readonly verify: (api: ClusterApi) => Promise<void>;
  readonly clock: Clock;
  /** How long a verdict, or a mismatch, is believed: names and addresses may lead elsewhere later. */
  readonly believedForMs?: number;
}

const BELIEVED_FOR_MS = 5 * 60_000;
/** A verdict that could not be had is asked for again soon, but not by every call. */
const FAILURE_BELIEVED_FOR_MS = 5_000;

/** A cluster's API whose every call comes after a check of which cluster it is. */
export class IdentifiedClusterApi implements ClusterApi {
  readonly #options: IdentifiedClusterApiOptions;
  #verdict: { readonly until: Promise<void>; staleAtMs: number } | undefined;

  constructor(options: IdentifiedClusterApiOptions) {
    this.#options = options;
  }

  async get(...call: Parameters<ClusterApi['get']>): ReturnType<ClusterApi['get']> {
    await this.#verified();
    return await this.#options.api.get(...call);
  }

  async list(...call: Parameters<ClusterApi['list']>): ReturnType<ClusterApi['list']> {
    await this.#verified();
    return await this.#options.api.list(...call);
  }

  async *watch(...call: Parameters<ClusterApi['watch']>): ReturnType<ClusterApi['watch']> & AsyncGenerator {
    await this.#verified();
    yield* this.#options.api.watch(...call);
  }

  async create(...call: Parameters<ClusterApi['create']>): ReturnType<ClusterApi['create']> {
    await this.#verified();
    return await this.#options.api.create(...call);
  }

  async patch(...call: Parameters<ClusterApi['patch']>): ReturnType<ClusterApi['patch']> {
    await this.#verified();
    return await this.#options.api.patch(...call);
  }

  async delete(...call: Parameters<ClusterApi['delete']>): ReturnType<ClusterApi['delete']> {
    await this.#verified();
    await this.#options.api.delete(...call);
  }

  /** Many calls share one check. */
  #verified(): Promise<void> {
    const { api, verify, clock, believedForMs = BELIEVED_FOR_MS } = this.#options;
    const nowMs = clock.now();
    if (this.#verdict !== undefined && nowMs < this.#verdict.staleAtMs) return this.#verdict.until;
    const verdict = { until: verify(api), staleAtMs: nowMs + believedForMs };
    this.#verdict = verdict;
    verdict.until.catch(() => {
      verdict.staleAtMs = clock.now() + FAILURE_BELIEVED_FOR_MS;
    });
    return verdict.until;
  }
}
