import type { DesiredObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import { objectKey } from '../../core/observation.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
import {
  ApiError,
  type ClusterApi,
  type DeleteOptions,
  isApiError,
  type ListOptions,
  type ListPage,
  type PatchBody,
  type PatchOptions,
  type ReadOptions,
  type WatchEvent,
  type WriteOptions,
} from '../../ports/cluster-api.ts';
import type { CopiedObjects } from './copied-objects.ts';

/**
 * A cluster API whose writes do not change the cluster: each object is copied from the cluster before its first use,
 * and the fork, which has the copies, answers all requests.
 */
export class ForkedClusterApi implements ClusterApi {
  /** The reasons of failed reads, by `kind/namespace/name`, or `kind/namespace/*` for a list. */
  readonly failedReads = new Map<string, string>();
  readonly #copies: CopiedObjects;
  readonly #fork: ClusterApi;

  /** @param fork the API of the embedded API server. */
  constructor(copies: CopiedObjects, fork: ClusterApi) {
    this.#copies = copies;
    this.#fork = fork;
  }

  async get(type: ResourceType, name: ObjectName, options: ReadOptions = {}): Promise<KubeObject> {
    await this.#copy(type, name, options.metadataOnly === true ? 'metadata' : 'whole');
    return await this.#fork.get(type, name, options);
  }

  async list(type: ResourceType, options: ListOptions = {}): Promise<ListPage> {
    const unreadable = await this.#read(`${kindId(type)}/${options.namespace ?? ''}/*`, async () => {
      const found = await this.#copies.list(type, options);
      if (found.length === 0 || options.skipUnreadable === true) return found;
      throw new ApiError('Malformed', `LIST ${kindId(type)}: ${found.length} objects cannot be read`);
    });
    const page = await this.#fork.list(type, options);
    const isFirst = options.continueToken === undefined;
    return isFirst && unreadable.length > 0 ? { ...page, unreadable } : page;
  }

  /** Delivers nothing: resync finds the changes by comparing lists. */
  async *watch(type: ResourceType): AsyncGenerator<WatchEvent, void, undefined> {
    yield* [];
    throw new ApiError('BadRequest', `WATCH ${kindId(type)}: a plan watches nothing`);
  }

  async create(type: ResourceType, object: DesiredObject, options: WriteOptions): Promise<KubeObject> {
    const { namespace = '', name } = object.metadata;
    if (namespace !== '') await this.#copies.namespace(namespace);
    await this.#copy(type, { namespace, name }, 'whole');
    return await this.#fork.create(type, object, options);
  }

  async patch(type: ResourceType, name: ObjectName, body: PatchBody, options: PatchOptions): Promise<KubeObject> {
    await this.#copy(type, name, 'whole');
    return await this.#fork.patch(type, name, body, options);
  }

  async delete(type: ResourceType, name: ObjectName, options: DeleteOptions): Promise<void> {
    await this.#copy(type, name, 'whole');
    await this.#fork.delete(type, name, options);
  }

  async #copy(type: ResourceType, name: ObjectName, depth: 'metadata' | 'whole'): Promise<void> {
    await this.#read(objectKey(kindId(type), name), () => this.#copies.object(type, name, depth));
  }

  async #read<Result>(what: string, read: () => Promise<Result>): Promise<Result> {
    try {
      const result = await read();
      this.failedReads.delete(what);
      return result;
    } catch (error) {
      this.failedReads.set(what, isApiError(error) ? error.message : 'it could not be read');
      throw error;
    }
  }
}
