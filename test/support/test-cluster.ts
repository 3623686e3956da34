import { KubernetesClusterApi } from '../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { ApiServer } from '../../lib/apiserver/api-server.ts';
import type { Change, StoreBackup } from '../../lib/apiserver/state/store.ts';
import type { Timers } from '../../lib/apiserver/timers.ts';
import type { DesiredObject, KubeObject, ObjectMeta, ObjectName } from '../../lib/core/kube-object.ts';
import { apiVersion, type KindId, kindId, Namespaces, type ResourceType } from '../../lib/core/resource-type.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import {
  ApiError,
  type ClusterApi,
  type DeleteOptions,
  type ListOptions,
  type ListPage,
  type PatchBody,
  type PatchOptions,
  type ReadOptions,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from '../../lib/ports/cluster-api.ts';

type Verb = 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete';

export interface ObservedRequest {
  readonly verb: Verb;
  readonly kind: KindId;
  readonly atMs: number;
  readonly options: Partial<ListOptions & WatchOptions>;
}

export interface TestClusterOptions {
  /** Kinds that CustomResourceDefinitions define. */
  readonly kinds?: readonly ResourceType[];
  readonly namespaces?: readonly string[];
}

/** The version of a new cluster, so that tests can name the versions of what they write. */
const FIRST_VERSION = 100;
/** Bookmarks are the only timers of the embedded API server that have this delay. */
const BOOKMARK_INTERVAL_MS = 60_000;
/** Makes each `put` a change, because the server does not count a write that changes nothing. */
const PUT_ANNOTATION = 'test.evenkeel.dev/put';

/**
 * An embedded API server on a clock that a test moves, with hooks that make requests and watches fail before they reach
 * it. Its controllers do not run: objects may name owners that only the table knows.
 */
export class TestCluster implements ClusterApi {
  /** The number of watch events that clients have received. */
  shown = 0;
  readonly requests: ObservedRequest[] = [];
  /** Called before each request. The request fails with what it throws, and waits for what it returns. */
  onRequest: (request: ObservedRequest) => void | Promise<void> = () => {};
  /** Watches connect, and their events are lost. */
  silent = false;
  /** Watches ignore their signal and their end. */
  deaf = false;
  private readonly clock: Clock;
  private readonly server: ApiServer;
  private readonly api: ClusterApi;
  private readonly timers: ServerTimers;
  private readonly watches = new Set<OpenWatch>();
  private lastChange: Change | undefined;
  private givenUid: string | undefined;
  private uids = 0;
  private puts = 0;

  constructor(clock: Clock, { kinds = [], namespaces = [] }: TestClusterOptions = {}) {
    this.clock = clock;
    this.timers = new ServerTimers(clock);
    this.server = new ApiServer({
      clock: () => clock.now(),
      newUid: () => this.givenUid ?? `uid-${++this.uids}`,
      random: () => 0.5,
      timers: this.timers,
      defer: () => {},
      onChange: (change) => {
        this.lastChange = change;
      },
    });
    this.api = new KubernetesClusterApi({ transport: this.server, clock, userAgent: 'test' });
    for (const type of kinds) this.write('POST', DEFINITIONS, definitionOf(type));
    for (const name of namespaces) this.put(Namespaces, { name });
    this.version = FIRST_VERSION;
  }

  get version(): number {
    return this.server.snapshot().revision;
  }

  /** Sets the version forward or back, without a write. Watches end, and earlier versions have expired. */
  set version(revision: number) {
    this.server.restore({ ...this.server.snapshot(), revision });
  }

  /** Creates an object, or changes it. Fields that are not given stay unchanged. */
  put(type: ResourceType, metadata: { name: string; namespace?: string } & Partial<ObjectMeta>): KubeObject {
    const before = this.read(type, metadata);
    const { managedFields: _, ...kept }: Partial<ObjectMeta> = before?.metadata ?? {};
    const annotations = { ...(metadata.annotations ?? kept.annotations), [PUT_ANNOTATION]: String(++this.puts) };
    const object = {
      ...before,
      apiVersion: apiVersion(type),
      kind: type.kind,
      metadata: { ...kept, ...metadata, annotations },
    };
    this.givenUid = metadata.uid;
    const change =
      before === undefined
        ? this.write('POST', collectionPath(type, metadata.namespace), object)
        : this.write('PUT', `${collectionPath(type, metadata.namespace)}/${metadata.name}`, object);
    this.givenUid = undefined;
    return structuredClone(change.after?.object) as unknown as KubeObject;
  }

  remove(type: ResourceType, { namespace, name }: { name: string; namespace?: string }): void {
    this.write('DELETE', `${collectionPath(type, namespace)}/${name}`);
  }

  read(type: ResourceType, { namespace = '', name }: { name: string; namespace?: string }): KubeObject | undefined {
    const objects = this.server.snapshot().objects.get(kindId(type)) ?? [];
    const found = objects.find((stored) => stored.namespace === namespace && stored.name === name);
    return found === undefined ? undefined : (structuredClone(found.object) as unknown as KubeObject);
  }

  /** Sends a bookmark to every watch, as the server does each minute. */
  bookmark(): void {
    this.timers.run(BOOKMARK_INTERVAL_MS);
  }

  /** Ends every watch: with an error, or like the server at the end of its time. */
  cut(error?: unknown): void {
    for (const watch of [...this.watches]) watch.end(error);
  }

  watching(kind: KindId): number {
    return [...this.watches].filter((watch) => watch.kind === kind).length;
  }

  /** Expires all earlier versions and continue tokens. */
  expire(): void {
    this.server.compact();
  }

  snapshot(): StoreBackup {
    return this.server.snapshot();
  }

  /** Restores the cluster: versions go back, and are assigned again. Connections break. */
  restore(backup: StoreBackup): void {
    this.cut(new ApiError('Unreachable', 'the connection was reset'));
    this.server.restore(backup);
  }

  async get(type: ResourceType, name: ObjectName, options: ReadOptions = {}): Promise<KubeObject> {
    await this.request('get', type, options);
    return await this.api.get(type, name, options);
  }

  async list(type: ResourceType, options: ListOptions = {}): Promise<ListPage> {
    await this.request('list', type, options);
    return await this.api.list(type, options);
  }

  async *watch(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent> {
    await this.request('watch', type, options);
    const watch = new OpenWatch(kindId(type), this);
    this.watches.add(watch);
    const abort = () => watch.end(options.signal?.reason ?? new Error('aborted'));
    options.signal?.addEventListener('abort', abort);
    try {
      for await (const event of watch.events(this.api.watch(type, { ...options, signal: watch.signal }))) {
        this.shown += 1;
        yield event;
      }
    } finally {
      this.watches.delete(watch);
      options.signal?.removeEventListener('abort', abort);
    }
  }

  async create(type: ResourceType, object: DesiredObject, options: WriteOptions): Promise<KubeObject> {
    await this.request('create', type, options);
    return await this.api.create(type, object, options);
  }

  async patch(type: ResourceType, name: ObjectName, body: PatchBody, options: PatchOptions): Promise<KubeObject> {
    await this.request('patch', type, options);
    return await this.api.patch(type, name, body, options);
  }

  async delete(type: ResourceType, name: ObjectName, options: DeleteOptions): Promise<void> {
    await this.request('delete', type, options);
    await this.api.delete(type, name, options);
  }

  private async request(verb: Verb, type: ResourceType, options: ObservedRequest['options']): Promise<void> {
    const request = { verb, kind: kindId(type), atMs: this.clock.now(), options };
    this.requests.push(request);
    await this.onRequest(request);
    options.signal?.throwIfAborted();
  }

  /** The server carries out a request before `send` returns its promise, so a test need not wait for a write. */
  private write(method: 'POST' | 'PUT' | 'DELETE', path: string, object?: object): Change {
    this.lastChange = undefined;
    const headers = { 'content-type': 'application/json', 'user-agent': 'test' };
    const body = object === undefined ? {} : { body: JSON.stringify(object) };
    void this.server.send({ method, path, headers, ...body });
    const change: Change | undefined = this.lastChange;
    if (change === undefined) {
      const status = this.server.requests.records.at(-1)?.status;
      throw new Error(`the API server answered ${method} ${path} with ${status} and changed nothing`);
    }
    return change;
  }
}

/** A watch of a client: the events that it has not received yet, and how it ended. */
class OpenWatch {
  readonly kind: KindId;
  private readonly cluster: Pick<TestCluster, 'silent' | 'deaf'>;
  private readonly pending: WatchEvent[] = [];
  private readonly connection = new AbortController();
  private changed = Promise.withResolvers<void>();
  private ended: { readonly error?: unknown } | undefined;

  constructor(kind: KindId, cluster: Pick<TestCluster, 'silent' | 'deaf'>) {
    this.kind = kind;
    this.cluster = cluster;
  }

  /** Ends the connection to the server. */
  get signal(): AbortSignal {
    return this.connection.signal;
  }

  end(error?: unknown): void {
    if (this.cluster.deaf) return;
    this.ended ??= error === undefined ? {} : { error };
    this.announce();
  }

  async *events(source: AsyncIterable<WatchEvent>): AsyncGenerator<WatchEvent> {
    void this.receive(source);
    try {
      for (;;) {
        const event = this.pending.shift();
        if (event !== undefined) yield event;
        else if (this.ended === undefined) await this.changed.promise;
        else if ('error' in this.ended) throw this.ended.error;
        else return;
      }
    } finally {
      this.connection.abort();
    }
  }

  private async receive(source: AsyncIterable<WatchEvent>): Promise<void> {
    try {
      for await (const event of source) {
        if (this.cluster.silent || this.ended !== undefined) continue;
        this.pending.push(event);
        this.announce();
      }
      this.end();
    } catch (error) {
      this.end(error);
    }
  }

  private announce(): void {
    const before = this.changed;
    this.changed = Promise.withResolvers();
    before.resolve();
  }
}

/** The delays of the server, on the clock of the test; a test can run those of one length early. */
class ServerTimers implements Timers {
  private readonly clock: Clock;
  private readonly waiting = new Set<{ readonly delayMs: number; run(): void }>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  after(delayMs: number, task: () => void): () => void {
    const sleep = new AbortController();
    const cancel = () => {
      this.waiting.delete(timer);
      sleep.abort();
    };
    const timer = {
      delayMs,
      run: () => {
        cancel();
        task();
      },
    };
    this.waiting.add(timer);
    this.clock.sleep(delayMs, sleep.signal).then(timer.run, () => {});
    return cancel;
  }

  run(delayMs: number): void {
    for (const timer of [...this.waiting]) if (timer.delayMs === delayMs) timer.run();
  }
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definitionOf({ group, version, plural, kind, namespaced }: ResourceType): object {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

function collectionPath(type: ResourceType, namespace = ''): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  return namespace === '' ? `${root}/${type.plural}` : `${root}/namespaces/${namespace}/${type.plural}`;
}
