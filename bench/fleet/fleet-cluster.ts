import { Arrivals } from '../../lib/adapters/memory/long-poll.ts';
import { SecretContracts } from '../../lib/controllers/secret-contract/kinds.ts';
import { applyMergePatch } from '../../lib/core/json-merge.ts';
import type { DesiredObject, JsonObject, JsonValue, KubeObject, ObjectName } from '../../lib/core/kube-object.ts';
import { Events, type KindId, kindId, type ResourceType, Secrets } from '../../lib/core/resource-type.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import {
  ApiError,
  type CallOptions,
  type ClusterApi,
  type ListOptions,
  type ListPage,
  type PatchBody,
  type WatchEvent,
  type WatchOptions,
} from '../../lib/ports/cluster-api.ts';
import { LazyObjects } from './lazy-objects.ts';

/** How long the API server takes for an answer. */
export interface ApiLatency {
  readonly readMs: number;
  readonly writeMs: number;
}

export interface FleetClusterOptions {
  readonly name: string;
  /** SecretContracts; each one has a Secret of its own. */
  readonly objects: number;
  readonly namespaces: number;
  readonly latency: ApiLatency;
  readonly clock: Clock;
  readonly onRequest: (verb: 'get' | 'list' | 'watch' | 'create' | 'patch', kind: KindId) => void;
}

const BOOKMARK_EVERY_MS = 60_000;
/** Nobody sees it, and an error would cost its making. */
const CHANGED = 'changed';
const PASSWORD = Buffer.from('correct horse battery staple').toString('base64');

/**
 * The API server of a cluster in which every SecretContract finds its Secret right. It has what the relay, resync and the
 * passes of SecretContracts ask for, and nothing else. Every other object is one of a few that are kept whole: Leases, and
 * the namespace that identifies the cluster. Events are taken and forgotten.
 */
export class FleetCluster implements ClusterApi {
  readonly contracts: LazyObjects;
  readonly secrets: LazyObjects;
  /** Whether it answers. */
  isReachable = true;
  readonly #options: FleetClusterOptions;
  readonly #lazy: ReadonlyMap<KindId, LazyObjects>;
  readonly #others = new Map<string, KubeObject>();
  readonly #changed = new Arrivals();
  #version: number;

  constructor(options: FleetClusterOptions) {
    const { name: cluster, objects: count, namespaces } = options;
    const common = { cluster, count, namespaces };
    this.#options = options;
    this.secrets = new LazyObjects(
      { ...common, type: Secrets, content: () => ({ type: 'Opaque', data: { password: PASSWORD } }) },
      1,
    );
    this.contracts = new LazyObjects({ ...common, type: SecretContracts, content: contractContent }, 1 + count);
    this.#lazy = new Map([this.secrets, this.contracts].map((objects) => [kindId(objects.type), objects]));
    this.#version = 1 + 2 * count;
    this.#keep('namespaces', { namespace: '', name: 'kube-system' }, { apiVersion: 'v1', kind: 'Namespace' });
  }

  get name(): string {
    return this.#options.name;
  }

  /** As a user does: the spec of a contract, or the data of its Secret. */
  edit(what: 'contract' | 'secret', index: number): void {
    const objects = what === 'contract' ? this.contracts : this.secrets;
    this.#change(objects, index, what === 'contract' ? 'spec' : 'data');
  }

  async get(type: ResourceType, name: ObjectName, { signal }: CallOptions = {}): Promise<KubeObject> {
    await this.#answer('get', type, this.#options.latency.readMs, signal);
    const objects = this.#lazy.get(kindId(type));
    const index = objects?.indexOf(name);
    const found =
      objects !== undefined && index !== undefined ? objects.object(index) : this.#others.get(keyOf(type, name));
    if (found === undefined) throw new ApiError('NotFound', `there is no ${type.kind} ${name.name}`, { status: 404 });
    return found;
  }

  /** The pages of one list come without a delay after the first, so that together they are one snapshot. */
  async list(type: ResourceType, options: ListOptions = {}): Promise<ListPage> {
    const { limit = 500, continueToken, signal } = options;
    await this.#answer('list', type, continueToken === undefined ? this.#options.latency.readMs : 0, signal);
    const objects = this.#lazy.get(kindId(type));
    const resourceVersion = String(this.#version);
    if (objects === undefined) return { items: [], resourceVersion };
    const from = Number(continueToken ?? 0);
    const until = Math.min(objects.count, from + limit);
    const items = Array.from({ length: until - from }, (_, index) => objects.shown(from + index));
    return { items, resourceVersion, ...(until < objects.count && { continueToken: String(until) }) };
  }

  async *watch(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
    const { clock, latency } = this.#options;
    await this.#answer('watch', type, latency.readMs, options.signal);
    const objects = this.#lazy.get(kindId(type));
    const changes = objects?.changes;
    let position = changes === undefined ? 0 : changes.positionAfter(Number(options.resourceVersion));
    if (position === undefined) throw new ApiError('Expired', 'the version is too old', { status: 410 });
    const endsAtMs = clock.monotonic() + options.timeoutSeconds * 1_000;
    let bookmarkAtMs = clock.monotonic() + BOOKMARK_EVERY_MS;
    for (;;) {
      for (let change = changes?.at(position); change !== undefined; change = changes?.at(position)) {
        position += 1;
        if (objects !== undefined) yield { type: 'MODIFIED', object: objects.shown(change.index, change.version) };
      }
      const nowMs = clock.monotonic();
      if (nowMs >= endsAtMs) return;
      if (nowMs >= bookmarkAtMs) {
        bookmarkAtMs = nowMs + BOOKMARK_EVERY_MS;
        yield { type: 'BOOKMARK', resourceVersion: String(this.#version) };
      }
      await this.#wait(Math.min(bookmarkAtMs, endsAtMs) - nowMs, options.signal);
      if (!this.isReachable) throw new ApiError('Unreachable', 'the connection was lost');
    }
  }

  async create(type: ResourceType, object: DesiredObject, { signal }: CallOptions = {}): Promise<KubeObject> {
    await this.#answer('create', type, this.#options.latency.writeMs, signal);
    const { namespace = '', name } = object.metadata;
    if (kindId(type) === kindId(Events)) return this.#made(object);
    const key = keyOf(type, { namespace, name });
    if (this.#others.has(key)) throw new ApiError('AlreadyExists', `${name} exists`, { status: 409 });
    return this.#keep(type.plural, { namespace, name }, object);
  }

  async patch(type: ResourceType, name: ObjectName, body: PatchBody, { signal }: CallOptions): Promise<KubeObject> {
    await this.#answer('patch', type, this.#options.latency.writeMs, signal);
    if (body.type !== 'merge') throw new ApiError('BadRequest', `a patch of type ${body.type}`, { status: 400 });
    const patch = body.patch as JsonObject;
    const objects = this.#lazy.get(kindId(type));
    const index = objects?.indexOf(name);
    if (objects === undefined || index === undefined) return this.#patchOther(type, name, patch);
    const before = objects.object(index);
    assertVersion(before, patch);
    this.#change(objects, index, { status: applyMergePatch(before.status, patch.status ?? {}) });
    return objects.object(index);
  }

  async delete(type: ResourceType): Promise<void> {
    throw new ApiError('Forbidden', `nobody deletes a ${type.kind} here`, { status: 403 });
  }

  #patchOther(type: ResourceType, name: ObjectName, patch: JsonObject): KubeObject {
    const before = this.#others.get(keyOf(type, name));
    if (before === undefined) throw new ApiError('NotFound', `there is no ${name.name}`, { status: 404 });
    assertVersion(before, patch);
    const after = applyMergePatch(before, patch) as JsonValue as unknown as KubeObject;
    return this.#keep(type.plural, name, after);
  }

  #keep(plural: string, { namespace, name }: ObjectName, object: object): KubeObject {
    const kept = this.#made(object as DesiredObject);
    this.#others.set(`${plural} ${namespace}/${name}`, { ...kept, metadata: { ...kept.metadata, name } });
    return this.#others.get(`${plural} ${namespace}/${name}`) ?? kept;
  }

  #made(object: DesiredObject): KubeObject {
    this.#version += 1;
    const uid = object.metadata?.uid ?? `${this.name}-${this.#version}`;
    const name = object.metadata?.name ?? '';
    return { ...object, metadata: { ...object.metadata, name, uid, resourceVersion: String(this.#version) } };
  }

  #change(objects: LazyObjects, index: number, what: Parameters<LazyObjects['change']>[3]): void {
    this.#version += 1;
    objects.change(index, this.#version, this.#options.clock.now(), what);
    this.#changed.announce();
  }

  async #answer(
    verb: Parameters<FleetClusterOptions['onRequest']>[0],
    type: ResourceType,
    latencyMs: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    this.#options.onRequest(verb, kindId(type));
    if (latencyMs > 0) await this.#options.clock.sleep(latencyMs, signal);
    if (!this.isReachable) throw new ApiError('Unreachable', 'the cluster does not answer');
  }

  /** Until the next change of any object, and no longer than this. @throws the signal's reason. */
  async #wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort(CHANGED);
    const cancel = this.#changed.onNext(wake);
    signal?.addEventListener('abort', wake, { once: true });
    await this.#options.clock.sleep(Math.max(1, ms), woken.signal).catch(() => {});
    cancel();
    signal?.removeEventListener('abort', wake);
    signal?.throwIfAborted();
  }
}

function contractContent(index: number): JsonObject {
  const name = `secret-${String(index).padStart(6, '0')}`;
  return { spec: { secretRef: { name }, keys: [{ name: 'password' }] } };
}

function keyOf(type: ResourceType, { namespace, name }: ObjectName): string {
  return `${type.plural} ${namespace}/${name}`;
}

function assertVersion({ metadata }: KubeObject, patch: JsonObject): void {
  const wanted = (patch.metadata as { resourceVersion?: string } | undefined)?.resourceVersion;
  if (wanted === undefined || wanted === metadata.resourceVersion) return;
  throw new ApiError('Conflict', 'the object changed', { status: 409 });
}
