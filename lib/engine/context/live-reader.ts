import type { Controller, ReadKind } from '../../core/controller.ts';
import { EvenkeelError } from '../../core/errors.ts';
import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../core/installation.ts';
import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import { listKey, type ObjectKey, objectKey, versionNumber } from '../../core/observation.ts';
import { type KindId, kindId, type ResourceType } from '../../core/resource-type.ts';
import { ApiError, type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import type { EdgeStore, PollStore } from '../../ports/state-store.ts';
import type { Registry } from '../registry.ts';
import { PollRegister, type PollRegisterOptions } from './poll-register.ts';
import { ReadAhead } from './read-ahead.ts';
import { ReadTracker } from './read-tracker.ts';
import { undeclaredList } from './undeclared-list.ts';

const LIST_PAGE_SIZE = 500;
/** A pass keeps a whole list in memory. A larger list is refused, because it could end the process. */
const MAX_LIST_BYTES = 64 * 1_048_576;

export interface LiveReaderOptions extends PollRegisterOptions {
  readonly controller: Controller;
  readonly registry: Registry;
  readonly api: ClusterApi;
  readonly store: EdgeStore & PollStore;
  readonly signal: AbortSignal;
  /**
   * The versions of the pass's own object that were known before its lease. A read that was sent together with the read
   * of the object counts only with one of these versions. Default: no read is sent that early.
   */
  readonly knownVersions?: readonly number[];
}

export interface ListOptions {
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly labelSelector?: string;
}

/** The reads of one attempt. Each one stores an edge first, then reads live, once for each object and list. */
export class LiveReader {
  readonly tracker: ReadTracker;
  readonly #options: LiveReaderOptions;
  readonly #objects = new Map<ObjectKey, Promise<KubeObject | undefined>>();
  readonly #listings = new Map<string, Promise<KubeObject[]>>();
  readonly #polls: PollRegister;
  readonly #ahead = new ReadAhead();

  constructor(options: LiveReaderOptions) {
    this.#options = options;
    this.tracker = new ReadTracker(options.store, options.hold, options.last);
    this.#polls = new PollRegister(options);
  }

  get(type: ResourceType, name: ObjectName, pollIntervalMs: number | undefined): Promise<KubeObject | undefined> {
    const key = objectKey(kindId(type), name);
    const known = this.#objects.get(key);
    if (known !== undefined) return known;
    const read = this.#read(type, name, pollIntervalMs);
    this.#objects.set(key, read);
    return read;
  }

  /** Call this right before the read of the pass's own object. */
  beginAhead(): void {
    const { controller, last, knownVersions = [] } = this.#options;
    if (knownVersions.length > 0) this.#ahead.begin(controller, last, (type, name) => this.#getLive(type, name));
  }

  /**
   * Call this with the pass's own object. If its version was written under this lease, another pass may have published
   * a newer read of a dependency. Then the precondition of our status would not refuse the older one.
   */
  judgeAhead(target: KubeObject): void {
    const version = versionNumber(target.metadata.resourceVersion);
    const { knownVersions = [] } = this.#options;
    if (version === undefined || !knownVersions.includes(version)) this.#ahead.drop();
  }

  getAgain(type: ResourceType, name: ObjectName): Promise<KubeObject | undefined> {
    this.#ahead.take(objectKey(kindId(type), name));
    const read = this.#read(type, name, this.#polls.intervalMs(kindId(type), name));
    this.#objects.set(objectKey(kindId(type), name), read);
    return read;
  }

  list(type: ResourceType, options: ListOptions): Promise<KubeObject[]> {
    const cacheKey = `${listKey(kindId(type), options.namespace)}?${options.labelSelector ?? ''}`;
    const known = this.#listings.get(cacheKey);
    if (known !== undefined) return known;
    const listing = this.#readList(type, options);
    this.#listings.set(cacheKey, listing);
    return listing;
  }

  /**
   * Before a write: a change of an object starts a pass of its writer.
   * @throws LeaseLostError when a newer pass of this target has written the edge.
   */
  async assertEdge(type: ResourceType, name: ObjectName): Promise<void> {
    this.#options.signal.throwIfAborted();
    this.#declared(type);
    if (!this.tracker.hasRead(kindId(type), name)) await this.tracker.assertEdge(objectKey(kindId(type), name));
  }

  /**
   * After a write: the answer of the server is used for later reads, if there is an edge for the object.
   * @param basedOn the version in the precondition of the write; ABSENT_VERSION for a create.
   */
  keep(type: ResourceType, name: ObjectName, basedOn: number | undefined, written: KubeObject): void {
    const kind = kindId(type);
    this.#ahead.take(objectKey(kind, name));
    this.tracker.recordWrite(kind, name, basedOn, written);
    if (this.tracker.hasRead(kind, name)) this.#objects.set(objectKey(kind, name), Promise.resolve(written));
  }

  /** The next read of the object is live again. */
  forget(type: ResourceType, name: ObjectName): void {
    const key = objectKey(kindId(type), name);
    this.#ahead.take(key);
    this.#objects.delete(key);
  }

  /** Call this before the commit. */
  async touchPolls(): Promise<void> {
    await this.#polls.touch(this.tracker);
  }

  async #read(
    type: ResourceType,
    name: ObjectName,
    pollIntervalMs: number | undefined,
  ): Promise<KubeObject | undefined> {
    this.#options.signal.throwIfAborted();
    const kind = kindId(type);
    const declared = this.#declared(type);
    const key = objectKey(kind, name);
    await this.tracker.assertEdge(key);
    if (declared.mode === 'poll') this.#polls.add(kind, name, pollIntervalMs ?? declared.pollIntervalMs);
    const ahead = this.#ahead.take(key);
    // If a list started since, this read is recorded as the later one: what was read before the list does not count.
    const object = await (ahead === undefined || this.tracker.hasListed(kind, name.namespace)
      ? this.#getLive(type, name)
      : ahead);
    this.tracker.recordRead(kind, name, object);
    const isUnlabelled = object !== undefined && object.metadata.labels?.[MANAGED_BY_LABEL] !== MANAGED_BY_VALUE;
    if (declared.mode === 'watch-labelled' && isUnlabelled)
      this.#polls.add(kind, name, pollIntervalMs ?? declared.pollIntervalMs);
    return object;
  }

  async #getLive(type: ResourceType, name: ObjectName): Promise<KubeObject | undefined> {
    const { api, signal } = this.#options;
    try {
      return await api.get(type, name, { signal });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #readList(type: ResourceType, options: ListOptions): Promise<KubeObject[]> {
    const { api, controller, signal } = this.#options;
    signal.throwIfAborted();
    const kind = kindId(type);
    const declared = this.#declared(type);
    const fault = undeclaredList(declared, options);
    if (fault !== undefined) throw new EvenkeelError('UNDECLARED_READ', `${controller.name} ${fault}`);
    await this.tracker.assertEdge(listKey(kind, options.namespace));
    const listing = this.tracker.beginList(kind, options.namespace);
    const items: KubeObject[] = [];
    let bytes = 0;
    let limit = LIST_PAGE_SIZE;
    let continueToken: string | undefined;
    do {
      const page = await api.list(type, {
        signal,
        namespace: options.namespace,
        limit,
        ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
        ...(continueToken === undefined ? {} : { continueToken }),
      });
      bytes += page.bytes ?? 0;
      if (bytes > MAX_LIST_BYTES) throw listTooLarge(kind, options, items.length);
      items.push(...page.items);
      limit = Math.min(LIST_PAGE_SIZE, page.nextLimit ?? LIST_PAGE_SIZE);
      continueToken = page.continueToken;
    } while (continueToken !== undefined);
    this.tracker.recordList(listing, items);
    return items;
  }

  #declared(type: ResourceType): ReadKind {
    const { controller, registry } = this.#options;
    const declared = registry.readKind(controller, kindId(type));
    if (declared === undefined) {
      throw new EvenkeelError(
        'UNDECLARED_READ',
        `${controller.name} reads ${kindId(type)}, which its definition names neither in owns nor in reads: its changes would start no pass`,
      );
    }
    return declared;
  }
}

function listTooLarge(kind: KindId, { namespace, labelSelector }: ListOptions, read: number): ApiError {
  const where = namespace === '' ? 'all namespaces' : `namespace ${namespace}`;
  const selected = labelSelector === undefined ? '' : ` with ${labelSelector}`;
  return new ApiError(
    'TooLarge',
    `the list of ${kind} in ${where}${selected} has more than ${MAX_LIST_BYTES} bytes after ${read} objects: list one namespace, or by a label`,
  );
}
