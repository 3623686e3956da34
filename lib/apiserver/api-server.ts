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
  /** Without timers watches neither time out nor get periodic bookmarks. */
  readonly timers?: Timers;
  /** Runs the work of the server's own controllers some time after the request that caused it; in a microtask by default. */
  readonly defer?: (task: () => void) => void;
  /** How many writes are remembered at least, for watches that start in the past. */
  readonly historyLimit?: number;
  /** Told of each write as it happens, but not of what a restore brings back. */
  readonly onChange?: (change: Change) => void;
  /** Keeps every write; without one the server's objects end with it. */
  readonly keeper?: ObjectKeeper;
  /** What an earlier process kept, to go on with. Its versions go on too; the history of its watches is gone. */
  readonly kept?: KeptCluster | undefined;
  /** It begins empty and holds what `load` puts in: a part of another cluster, all of whose versions are below this one. */
  readonly partOfCluster?: { readonly afterRevision: number };
}

const defaultHistoryLimit = 10_000;
const requestLogLimit = 100_000;
const bootNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/**
 * A Kubernetes API server in memory, for `npm start`, tests and the simulator. What it serves, and what not, is in the
 * README of this folder.
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
  /** Stand-ins for the controllers of a cluster; off until switched on. */
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

  /** How many watches are open. */
  get openWatches(): number {
    return this.#hub.size;
  }

  /** Puts a fault in the way of requests. */
  inject(injection: FaultInjection): InjectedFault {
    return this.#faults.inject(injection);
  }

  /** Refuses requests with 403 as for a lack of permission, until the answer is called. */
  deny(denial: Denial): () => void {
    return this.#faults.deny(denial);
  }

  /** Puts an admission in the way of creations and updates, until the answer is called. */
  admit(admission: Admission): () => void {
    this.#state.admissions.add(admission);
    return () => this.#state.admissions.delete(admission);
  }

  /** Resolves once the garbage collector and all other controllers have nothing left to do. */
  idle(): Promise<void> {
    return this.#background.idle();
  }

  /**
   * Serves the same over HTTP on 127.0.0.1, with TLS where it is given an identity, for kubectl and other clients of this
   * user outside the process.
   */
  listen(options: Omit<ListenOptions, 'isIssued'>): Promise<Listening> {
    const { tokens, clock } = this.#state;
    return listen(this, { ...options, isIssued: (token) => tokens.accepts(token, clock()) });
  }

  /** Forgets the history, so that a watch or a continued list of an earlier version is answered with 410. */
  compact(): void {
    this.#state.store.compact();
  }

  /** The whole state, as a backup of etcd. */
  snapshot(): StoreBackup {
    return this.#state.store.backup();
  }

  /**
   * Puts an object of another cluster in, as a read of that cluster returned it: with its UID, version, generation, managed
   * fields and status. It replaces an object of that name. This is no write.
   * @throws Error when its kind is not served here, or its version is no number that the server can keep.
   */
  load(object: JsonObject): void {
    const { collection, stored } = foreignObject(this.#state, object);
    this.#state.store.insert(collection, stored);
    this.garbageCollector.learn(collection, stored);
    if (collection === definitionCollection) this.#definitions.learn(stored.name);
  }

  /** Goes back to a snapshot, versions too, as a cluster restored from a backup; all watches end. */
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

  /** Has every controller look at what the store holds now. */
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

/** A request as it is understood before anything is done about it. */
interface Received {
  readonly info: RequestInfo | ApiError | undefined;
  readonly query: URLSearchParams;
  readonly record: FaultedRequest;
}

const nonResource = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
