import type { Transport, TransportRequest, TransportResponse } from '../adapters/kubernetes/transport.ts';
import { ApiError } from './api-error.ts';
import { Background } from './background/background.ts';
import { DefinitionController, definitionCollection } from './background/definition-controller.ts';
import { GarbageCollector } from './background/garbage-collector.ts';
import { NamespaceController } from './background/namespace-controller.ts';
import { VolumeProtection } from './background/volume-protection.ts';
import { ClusterControllers } from './controllers/cluster-controllers.ts';
import { NonResource } from './discovery/non-resource.ts';
import type { FaultedRequest, FaultInjection, InjectedFault } from './faults/fault.ts';
import { type Denial, FaultPlan, faultError } from './faults/fault-plan.ts';
import { faultySend } from './faults/faulty-send.ts';
import type { JsonObject } from './json.ts';
import { builtInKinds } from './kinds/built-in/built-in-kinds.ts';
import { type Listening, type ListenOptions, listen } from './listen.ts';
import { jsonReply, type Reply, toTransportResponse } from './reply.ts';
import { parseRequestInfo, type RequestInfo } from './request-info.ts';
import { RequestLog } from './request-log.ts';
import { route, toApiError } from './router.ts';
import type { Admission } from './state/admission.ts';
import { foreignObject } from './state/foreign-object.ts';
import { IssuedTokens } from './state/issued-tokens.ts';
import { Kinds } from './state/kinds.ts';
import {
  type KeptCluster,
  keptObject,
  keptWrite,
  type ObjectKeeper,
  responseAfterKept,
} from './state/object-keeper.ts';
import type { ServerState } from './state/server-state.ts';
import { type Change, Store, type StoreBackup } from './state/store.ts';
import { internalWrite } from './state/target.ts';
import { WatchHub } from './state/watch-hub.ts';
import type { Timers } from './timers.ts';
import { createObject } from './verbs/create-object.ts';
import { contentType } from './verbs/decode-body.ts';

export interface ApiServerOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly newUid: () => string;
  /** A number in [0, 1), for generated names and jitter. */
  readonly random: () => number;
  /** Without timers, watches have no time-out and get no periodic bookmarks. */
  readonly timers?: Timers;
  /** Runs the work of the server's own controllers some time after the request that caused it; in a microtask by default. */
  readonly defer?: (task: () => void) => void;
  /** The least number of writes that are remembered, for watches that start in the past. */
  readonly historyLimit?: number;
  /** Called for each write, but not for the objects of a restore. */
  readonly onChange?: (change: Change) => void;
  /** Stores every write. Without one, the objects end with the server. */
  readonly keeper?: ObjectKeeper;
  /** The state that an earlier process stored. Its versions continue; the history for watches is gone. */
  readonly kept?: KeptCluster | undefined;
  /** The server starts empty and gets a part of another cluster by `load`, with versions below this revision. */
  readonly partOfCluster?: { readonly afterRevision: number };
}

const defaultHistoryLimit = 10_000;
const requestLogLimit = 100_000;
const bootNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/**
 * A Kubernetes API server in memory, for `npm start`, tests and the simulator. The README of this folder lists what it
 * serves and what it does not.
 */
export class ApiServer implements Transport {
  readonly requests = new RequestLog(requestLogLimit);
  readonly #state: ServerState;
  readonly #hub: WatchHub;
  readonly #timers: Timers | undefined;
  readonly #faults = new FaultPlan();
  readonly #nonResource: NonResource;
  readonly #definitions: DefinitionController;
  readonly #background: Background;
  readonly #volumeProtection: VolumeProtection;
  readonly #keeper: ObjectKeeper | undefined;
  readonly garbageCollector: GarbageCollector;
  readonly namespaceController: NamespaceController;
  /** Stand-ins for the controllers of a cluster; off until they are switched on. */
  readonly controllers: ClusterControllers;

  constructor({
    clock,
    newUid,
    random,
    timers,
    historyLimit = defaultHistoryLimit,
    defer = queueMicrotask,
    onChange,
    keeper,
    kept,
    partOfCluster,
  }: ApiServerOptions) {
    this.#state = {
      store: new Store(historyLimit),
      kinds: new Kinds(builtInKinds),
      clock,
      newUid,
      random,
      tokens: new IssuedTokens(),
      allows: (request) => this.#faults.allows(request),
      admissions: new Set(),
    };
    this.#keeper = keeper;
    if (keeper !== undefined) this.#state.store.onChange((change) => keeper.keep(keptWrite(change)));
    if (onChange !== undefined) this.#state.store.onChange(onChange);
    this.#hub = new WatchHub(this.#state.store);
    this.#timers = timers;
    this.#nonResource = new NonResource(this.#state.kinds);
    this.#definitions = new DefinitionController(this.#state, this.#hub);
    this.garbageCollector = new GarbageCollector(this.#state, partOfCluster !== undefined);
    this.namespaceController = new NamespaceController(this.#state);
    this.controllers = new ClusterControllers(this.#state, () => this.#background.poke());
    this.#volumeProtection = new VolumeProtection(this.#state);
    const own = [this.#definitions, this.garbageCollector, this.namespaceController, this.#volumeProtection];
    this.#background = new Background([...own, ...this.controllers.all], defer);
    if (partOfCluster !== undefined)
      this.#state.store.restore({ revision: partOfCluster.afterRevision, objects: new Map() });
    else if (kept === undefined) for (const name of bootNamespaces) this.#createNamespace(name);
    else this.#resume(kept);
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    const response = this.#send(request);
    return this.#keeper === undefined ? response : responseAfterKept(response, this.#keeper);
  }

  async #send(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    request.beforeSend?.();
    const received = this.#receive(request);
    const fault = this.#faults.take(received.record);
    if (fault === undefined) return toTransportResponse(this.#handle(request, received));
    if ('status' in fault) {
      const answer = (): Reply => {
        throw faultError(fault);
      };
      return toTransportResponse(this.#handle(request, received, answer));
    }
    return faultySend(fault, request, () => toTransportResponse(this.#handle(request, received)));
  }

  /** The number of open watches. */
  get openWatches(): number {
    return this.#hub.size;
  }

  /** Injects a fault into requests. */
  inject(injection: FaultInjection): InjectedFault {
    return this.#faults.inject(injection);
  }

  /** Refuses requests with 403, as without a permission, until the returned function is called. */
  deny(denial: Denial): () => void {
    return this.#faults.deny(denial);
  }

  /** Adds an admission to creations and updates, until the returned function is called. */
  admit(admission: Admission): () => void {
    this.#state.admissions.add(admission);
    return () => this.#state.admissions.delete(admission);
  }

  /** Resolves when the garbage collector and all other controllers have nothing to do. */
  idle(): Promise<void> {
    return this.#background.idle();
  }

  /**
   * Serves the same API over HTTP on 127.0.0.1, for kubectl and other clients of this user outside the process. It
   * serves TLS when it gets an identity.
   */
  listen(options: Omit<ListenOptions, 'isIssued'>): Promise<Listening> {
    const { tokens, clock } = this.#state;
    return listen(this, { ...options, isIssued: (token) => tokens.accepts(token, clock()) });
  }

  /** Drops the history, so that a watch or a continued list of an earlier version gets 410. */
  compact(): void {
    this.#state.store.compact();
  }

  /** Returns the whole state, like a backup of etcd. */
  snapshot(): StoreBackup {
    return this.#state.store.backup();
  }

  /**
   * Adds an object of another cluster in the form in which a read returned it: with its UID, version, generation,
   * managed fields and status. It replaces an object with the same name. This does not count as a write.
   * @throws Error when its kind is not served here, or when its version is not a number that the server can store.
   */
  load(object: JsonObject): void {
    const { collection, stored } = foreignObject(this.#state, object);
    this.#state.store.insert(collection, stored);
    this.garbageCollector.learn(collection, stored);
    if (collection === definitionCollection) this.#definitions.learn(stored.name);
  }

  /** Restores a snapshot with its versions, like a cluster that was restored from a backup. All watches end. */
  restore(backup: StoreBackup): void {
    this.#state.store.restore(backup);
    this.#reload();
    this.#hub.closeAll();
    this.#background.poke();
  }

  #resume({ objects, revisions }: KeptCluster): void {
    this.#state.store.resume(
      [...objects].map((object) => [object.collection, keptObject(object)] as const),
      revisions,
    );
    this.#reload();
    this.#background.poke();
  }

  /** Makes every controller check all objects in the store. */
  #reload(): void {
    this.#definitions.reload();
    this.garbageCollector.reload();
    this.namespaceController.reload();
    this.#volumeProtection.reload();
    this.controllers.reload();
  }

  #receive(request: TransportRequest): Received {
    const [pathname = '', search = ''] = request.path.split('?', 2);
    const query = new URLSearchParams(search);
    let info: RequestInfo | ApiError | undefined;
    try {
      info = parseRequestInfo(request.method, pathname, query);
    } catch (error) {
      info = toApiError(error);
    }
    const resource = info === undefined || info instanceof ApiError ? undefined : info;
    const record = {
      ...(resource ?? { ...nonResource, verb: request.method.toLowerCase() }),
      path: pathname,
      contentType: contentType(request.headers),
      userAgent: request.headers['user-agent'] ?? '',
    };
    return { info, query, record };
  }

  #handle(request: TransportRequest, received: Received, answer = () => this.#answer(request, received)): Reply {
    let reply: Reply;
    try {
      reply = answer();
    } catch (error) {
      const failure = toApiError(error);
      const retryAfter = failure.details?.retryAfterSeconds;
      const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
      reply = jsonReply(failure.code, JSON.stringify(failure.toStatus()), headers);
    }
    this.#definitions.run();
    this.#background.poke();
    this.requests.add({ ...received.record, status: reply.status });
    return reply;
  }

  #answer(request: TransportRequest, { info, query, record }: Received): Reply {
    if (info === undefined) return this.#nonResource.answer(request.method, record.path, request.headers);
    if (info instanceof ApiError) throw info;
    this.#faults.authorize(record);
    const warnings: string[] = [];
    const reply = route({
      state: this.#state,
      hub: this.#hub,
      timers: this.#timers,
      info,
      query,
      headers: request.headers,
      body: request.body,
      signal: request.signal,
      warnings,
    });
    if (warnings.length === 0) return reply;
    const warning = warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ');
    return { ...reply, headers: { ...reply.headers, warning } };
  }

  #createNamespace(name: string): void {
    const found = this.#state.kinds.byResource('', 'v1', 'namespaces');
    if (found === undefined) throw new Error('the kind Namespace is not registered');
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    createObject(this.#state, { ...found, namespace: '', name }, object, internalWrite);
  }
}

/** A request after parsing, before any work for it. */
interface Received {
  readonly info: RequestInfo | ApiError | undefined;
  readonly query: URLSearchParams;
  readonly record: FaultedRequest;
}

const nonResource = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
