import { applyMergePatch } from '../../../lib/core/json-merge.ts';
import type {
  DesiredObject,
  JsonObject,
  JsonValue,
  KubeObject,
  ObjectMeta,
  ObjectName,
} from '../../../lib/core/kube-object.ts';
import { parseLabelSelector } from '../../../lib/core/label-selector.ts';
import { apiVersion, type KindId, kindId, type ResourceType } from '../../../lib/core/resource-type.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import {
  ApiError,
  type ClusterApi,
  type DeleteOptions,
  type ListOptions,
  type ListPage,
  type PatchBody,
  type WatchEvent,
  type WatchOptions,
} from '../../../lib/ports/cluster-api.ts';

type Verb = 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete';

export interface FakeRequest {
  readonly verb: Verb;
  readonly kind: KindId;
  readonly atMs: number;
  readonly options: Partial<ListOptions & WatchOptions>;
}

interface LogEntry {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  readonly before: KubeObject | undefined;
}

type Snapshot = { readonly version: number; readonly kinds: ReadonlyMap<KindId, ReadonlyMap<string, KubeObject>> };

interface Watcher {
  readonly kind: KindId;
  readonly options: WatchOptions;
  send(event: WatchEvent): void;
  end(error?: unknown): void;
}

/**
 * A cluster that does what a test says: objects with versions, lists in pages of one snapshot, watches that can be cut, silenced,
 * expired, and a restore to an earlier state. Every request can be made to fail. What it answers is what the embedded API
 * server answers: fake-cluster.test.ts asks both.
 */
export class FakeCluster implements ClusterApi {
  version = 100;
  /** Watch events that somebody took. */
  shown = 0;
  readonly requests: FakeRequest[] = [];
  /** Called before each request; what it throws is the request's answer, and the request waits for what it returns. */
  onRequest: (request: FakeRequest) => void | Promise<void> = () => {};
  /** Watches connect and show nothing at all. */
  silent = false;
  /** Watches heed neither their signal nor their end. */
  deaf = false;
  private readonly clock: Clock;
  private kinds = new Map<KindId, Map<string, KubeObject>>();
  private log: { kind: KindId; entry: LogEntry }[] = [];
  private expiredUpTo = 0;
  private readonly watchers = new Set<Watcher>();
  private readonly snapshots = new Map<string, { items: KubeObject[]; version: number }>();
  private uids = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Creates an object or changes it. */
  put(type: ResourceType, metadata: { name: string; namespace?: string } & Partial<ObjectMeta>): KubeObject {
    const objects = this.objects(kindId(type));
    const key = position(metadata);
    const before = objects.get(key);
    this.version += 1;
    const uid = metadata.uid ?? before?.metadata.uid ?? `uid-${++this.uids}`;
    const object: KubeObject = {
      apiVersion: apiVersion(type),
      kind: type.kind,
      metadata: { ...before?.metadata, ...metadata, uid, resourceVersion: String(this.version) },
    };
    objects.set(key, object);
    this.record(kindId(type), before === undefined ? 'ADDED' : 'MODIFIED', object, before);
    return object;
  }

  remove(type: ResourceType, metadata: { name: string; namespace?: string }): void {
    const before = this.objects(kindId(type)).get(position(metadata));
    if (before === undefined) throw new Error(`no ${type.kind} ${position(metadata)} to remove`);
    this.objects(kindId(type)).delete(position(metadata));
    this.version += 1;
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(this.version) } };
    this.record(kindId(type), 'DELETED', object, before);
  }

  read(type: ResourceType, name: ObjectName): KubeObject | undefined {
    return this.objects(kindId(type)).get(position(name));
  }

  /** Sends a bookmark to every watch. */
  bookmark(): void {
    for (const watcher of [...this.watchers]) {
      watcher.send({ type: 'BOOKMARK', resourceVersion: String(this.version) });
    }
  }

  /** Ends every watch: by an error, or as the server does in its time. */
  cut(error?: unknown): void {
    for (const watcher of [...this.watchers]) watcher.end(error);
  }

  watching(kind: KindId): number {
    return [...this.watchers].filter((watcher) => watcher.kind === kind).length;
  }

  /** What lies behind can no longer be watched, nor continued. */
  expire(): void {
    this.expiredUpTo = this.version;
    this.snapshots.clear();
  }

  snapshot(): Snapshot {
    return { version: this.version, kinds: new Map([...this.kinds].map(([kind, map]) => [kind, new Map(map)])) };
  }

  /** The cluster is what it was: versions go back, and are used again. Connections break. */
  restore({ version, kinds }: Snapshot): void {
    this.version = version;
    this.kinds = new Map([...kinds].map(([kind, map]) => [kind, new Map(map)]));
    this.log = [];
    this.expiredUpTo = 0;
    this.snapshots.clear();
    this.cut(new ApiError('Unreachable', 'the connection was reset'));
  }

  async get(type: ResourceType, name: ObjectName): Promise<KubeObject> {
    await this.request('get', type, {});
    return structuredClone(this.existing(type, name));
  }

  async list(type: ResourceType, options: ListOptions = {}): Promise<ListPage> {
    await this.request('list', type, options);
    const limit = options.limit ?? 500;
    const [id = '', from = '0'] = options.continueToken?.split(':') ?? [];
    const whole = options.continueToken === undefined ? this.listNow(type, options) : this.snapshots.get(id);
    if (whole === undefined) throw new ApiError('Expired', 'the continue token is too old', { status: 410 });
    const start = Number(from);
    const items = whole.items.slice(start, start + limit);
    const resourceVersion = String(whole.version);
    if (start + limit >= whole.items.length) return { items, resourceVersion };
    const token = id === '' ? `list-${this.requests.length}` : id;
    this.snapshots.set(token, whole);
    return { items, resourceVersion, continueToken: `${token}:${start + limit}` };
  }

  async *watch(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent> {
    await this.request('watch', type, options);
    const from = Number(options.resourceVersion);
    if (from < this.expiredUpTo) throw new ApiError('Expired', 'the version is too old', { status: 410 });
    const pending: WatchEvent[] = [];
    let ended: { error?: unknown } | undefined;
    let changed = Promise.withResolvers<void>();
    const announce = () => {
      const before = changed;
      changed = Promise.withResolvers();
      before.resolve();
    };
    const watcher: Watcher = {
      kind: kindId(type),
      options,
      send: (event) => {
        if (
          ended !== undefined ||
          this.silent ||
          ('object' in event && Number(event.object.metadata.resourceVersion) <= from)
        )
          return;
        pending.push(event);
        announce();
      },
      end: (error) => {
        if (this.deaf) return;
        ended = error === undefined ? {} : { error };
        announce();
      },
    };
    const abort = () => watcher.end(options.signal?.reason ?? new Error('aborted'));
    options.signal?.addEventListener('abort', abort);
    const served = new AbortController();
    this.clock.sleep(options.timeoutSeconds * 1_000, served.signal).then(
      () => watcher.end(),
      () => {},
    );
    for (const { kind, entry } of this.log) {
      const event = kind === watcher.kind ? shown(entry, options) : undefined;
      if (event !== undefined && entry.version > from) watcher.send(event);
    }
    this.watchers.add(watcher);
    try {
      for (;;) {
        if (options.signal?.aborted === true && !this.deaf) throw options.signal.reason;
        const event = pending.shift();
        if (event !== undefined) {
          this.shown += 1;
          yield event;
        } else if (ended !== undefined) {
          if ('error' in ended) throw ended.error;
          return;
        } else await changed.promise;
      }
    } finally {
      served.abort();
      this.watchers.delete(watcher);
      options.signal?.removeEventListener('abort', abort);
    }
  }

  async create(type: ResourceType, object: DesiredObject): Promise<KubeObject> {
    await this.request('create', type, {});
    const { name, namespace = '' } = object.metadata;
    if (this.read(type, { namespace, name }) !== undefined) {
      throw new ApiError('AlreadyExists', `${type.kind} ${name} exists`, { status: 409 });
    }
    const created = this.put(type, { ...object.metadata, namespace });
    if (object.spec !== undefined) created.spec = object.spec;
    return structuredClone(created);
  }

  async patch(type: ResourceType, name: ObjectName, body: PatchBody): Promise<KubeObject> {
    await this.request('patch', type, {});
    const before = this.existing(type, name);
    if (body.type !== 'merge') throw new Error('only merge patches are faked');
    refuseOutdated(before.metadata, ((body.patch as JsonObject).metadata ?? {}) as JsonObject);
    const after = applyMergePatch(before as unknown as JsonValue, body.patch) as unknown as KubeObject;
    const stored = this.put(type, after.metadata);
    if (after.spec !== undefined) stored.spec = after.spec;
    return structuredClone(stored);
  }

  async delete(type: ResourceType, name: ObjectName, { preconditions }: DeleteOptions): Promise<void> {
    await this.request('delete', type, {});
    const { metadata } = this.existing(type, name);
    refuseOutdated(metadata, preconditions);
    this.remove(type, name);
  }

  private async request(verb: Verb, type: ResourceType, options: FakeRequest['options']): Promise<void> {
    const request = { verb, kind: kindId(type), atMs: this.clock.now(), options };
    this.requests.push(request);
    await this.onRequest(request);
    options.signal?.throwIfAborted();
  }

  private existing(type: ResourceType, name: ObjectName): KubeObject {
    const object = this.read(type, name);
    if (object === undefined) throw new ApiError('NotFound', `no ${type.kind} ${position(name)}`, { status: 404 });
    return object;
  }

  private objects(kind: KindId): Map<string, KubeObject> {
    let objects = this.kinds.get(kind);
    if (objects === undefined) {
      objects = new Map();
      this.kinds.set(kind, objects);
    }
    return objects;
  }

  private listNow(type: ResourceType, options: ListOptions): { items: KubeObject[]; version: number } {
    const items = [...this.objects(kindId(type))]
      .filter(([, object]) => matches(object, options))
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, object]) => object);
    return { items, version: this.version };
  }

  private record(kind: KindId, type: LogEntry['type'], object: KubeObject, before: KubeObject | undefined): void {
    const entry = { version: this.version, type, object, before };
    this.log.push({ kind, entry });
    for (const watcher of [...this.watchers]) {
      const event = watcher.kind === kind ? shown(entry, watcher.options) : undefined;
      if (event !== undefined) watcher.send(event);
    }
  }
}

/** Of a write that names the UID or the version it is based on, and another write overtook. */
function refuseOutdated(
  metadata: ObjectMeta,
  guard: { readonly uid?: unknown; readonly resourceVersion?: unknown },
): void {
  const { uid = metadata.uid, resourceVersion = metadata.resourceVersion } = guard;
  if (uid === metadata.uid && resourceVersion === metadata.resourceVersion) return;
  throw new ApiError('Conflict', 'the object has been modified', { status: 409 });
}

/** What a watch with a selector shows of a change: an object that leaves the selector is shown as deleted. */
function shown({ type, object, before }: LogEntry, options: WatchOptions): WatchEvent | undefined {
  const matched = before !== undefined && matches(before, options);
  const isMatch = type !== 'DELETED' && matches(object, options);
  if (isMatch) return { type: matched ? 'MODIFIED' : 'ADDED', object };
  if (!matched) return undefined;
  const { resourceVersion } = object.metadata;
  return { type: 'DELETED', object: { ...before, metadata: { ...before.metadata, resourceVersion } } };
}

function matches(object: KubeObject, { namespace, labelSelector }: Pick<ListOptions, 'namespace' | 'labelSelector'>) {
  const inNamespace = namespace === undefined || namespace === '' || object.metadata.namespace === namespace;
  return (
    inNamespace && (labelSelector === undefined || parseLabelSelector(labelSelector).matches(object.metadata.labels))
  );
}

function position({ namespace, name }: { namespace?: string; name: string }): string {
  return `${namespace ?? ''}/${name}`;
}
