import type { DesiredObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import { Namespaces, type ResourceType } from '../../core/resource-type.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  type CallOptions,
  type ClusterApi,
  type DeleteOptions,
  isApiError,
  type ListOptions,
  type ListPage,
  type MutationOptions,
  type PatchBody,
  type PatchOptions,
  type ReadOptions,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from '../../ports/cluster-api.ts';
import type { ClusterStore } from '../../ports/state-store.ts';
import { AnotherClusterError } from './another-cluster-error.ts';

export interface VerifiedClusterOptions {
  readonly api: ClusterApi;
  /** The cluster's name in the installation. */
  readonly cluster: string;
  readonly store: Pick<ClusterStore, 'pinClusterUid'>;
  readonly clock: Clock;
}

/** How long a verified identity is valid while the connection shows no failure. */
const VERIFY_EVERY_MS = 60_000;

/**
 * A cluster's API that sends nothing to another cluster behind the same endpoint. Before a call, once a minute
 * and after every connection failure, it reads the UID of kube-system and compares it with the UID in the table. The
 * first UID that it reads is registered. This costs one GET for each minute with requests, and nothing when idle.
 * For its callers another cluster is the same as none: calls fail with Unreachable, so that the breaker opens, the
 * relay backs off, and every target's last outcome shows the reason. When the UID must not be read, no call is made
 * either.
 */
export class VerifiedClusterApi implements ClusterApi {
  readonly #options: VerifiedClusterOptions;
  readonly #identity: ClusterIdentity;

  /** @param identity what is already known of the cluster. */
  constructor(options: VerifiedClusterOptions, identity: ClusterIdentity = new ClusterIdentity(options)) {
    this.#options = options;
    this.#identity = identity;
  }

  /** The same cluster through another connection. Both connections share the verification. */
  reachedBy(api: ClusterApi): VerifiedClusterApi {
    return new VerifiedClusterApi({ ...this.#options, api }, this.#identity);
  }

  get(type: ResourceType, name: ObjectName, options?: ReadOptions): Promise<KubeObject> {
    return this.#call(options, (api) => api.get(type, name, options));
  }

  list(type: ResourceType, options?: ListOptions): Promise<ListPage> {
    return this.#call(options, (api) => api.list(type, options));
  }

  async *watch(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
    try {
      await this.#identity.verify(options.signal);
      yield* this.#options.api.watch(type, options);
    } catch (error) {
      // An aborted watch ends, at any moment.
      if (options.signal?.aborted) return;
      this.#identity.failed(error);
      throw error;
    }
  }

  create(type: ResourceType, object: DesiredObject, options: WriteOptions): Promise<KubeObject> {
    return this.#call(options, (api) => api.create(type, object, options));
  }

  patch(type: ResourceType, name: ObjectName, body: PatchBody, options: PatchOptions): Promise<KubeObject> {
    return this.#call(options, (api) => api.patch(type, name, body, options));
  }

  delete(type: ResourceType, name: ObjectName, options: DeleteOptions): Promise<void> {
    return this.#call(options, (api) => api.delete(type, name, options));
  }

  async #call<T>(
    options: (CallOptions & Pick<MutationOptions, 'beforeSend'>) | undefined,
    send: (api: ClusterApi) => Promise<T>,
  ): Promise<T> {
    try {
      await this.#identity.verify(options?.signal);
      // The lease may have ended since then.
      options?.beforeSend?.();
      return await send(this.#options.api);
    } catch (error) {
      this.#identity.failed(error);
      throw error;
    }
  }
}

/** Whether the cluster that answers at an endpoint is the registered one, as far as this process knows. */
class ClusterIdentity {
  readonly #options: VerifiedClusterOptions;
  #registered: string | undefined;
  #verifiedAtMs = Number.NEGATIVE_INFINITY;
  #verifying: Promise<void> | undefined;
  /** The number of connection failures so far. */
  #failures = 0;

  constructor(options: VerifiedClusterOptions) {
    this.#options = options;
  }

  /** @throws AnotherClusterError; ApiError when the identity could not be read. */
  async verify(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    while (this.#options.clock.monotonic() - this.#verifiedAtMs >= VERIFY_EVERY_MS) {
      this.#verifying ??= this.#compare().finally(() => {
        this.#verifying = undefined;
      });
      await untilAborted(this.#verifying, signal);
    }
  }

  /** After a connection failure, the next connection may reach another cluster. */
  failed(error: unknown): void {
    if (!isApiError(error, 'Unreachable', 'Timeout')) return;
    this.#failures += 1;
    this.#verifiedAtMs = Number.NEGATIVE_INFINITY;
  }

  async #compare(): Promise<void> {
    const { api, cluster, store, clock } = this.#options;
    // The time before the request, so that the validity does not include its duration.
    const atMs = clock.monotonic();
    const failures = this.#failures;
    const { metadata } = await api.get(Namespaces, { namespace: '', name: 'kube-system' }, { metadataOnly: true });
    this.#registered ??= await store.pinClusterUid(cluster, metadata.uid);
    if (this.#registered !== metadata.uid) throw new AnotherClusterError(cluster, metadata.uid, this.#registered);
    // Another call's connection failed during this read: the answer may be from before the failure.
    if (this.#failures === failures) this.#verifiedAtMs = atMs;
  }
}

/** The shared work continues when one of its callers stops to wait. */
async function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return await work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
