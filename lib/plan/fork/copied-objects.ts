import type { ApiServer } from '../../apiserver/api-server.ts';
import type { JsonObject } from '../../apiserver/json.ts';
import type { DesiredObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import { objectKey } from '../../core/observation.ts';
import {
  apiVersion,
  CustomResourceDefinitions,
  type KindId,
  kindId,
  Namespaces,
  type ResourceType,
} from '../../core/resource-type.ts';
import {
  ApiError,
  type ClusterApi,
  isApiError,
  type ListOptions,
  type UnreadableObject,
} from '../../ports/cluster-api.ts';
import { PART_REVISION } from '../../testing/test-server.ts';

const PAGE_SIZE = 500;

/**
 * The copied part of an object. Only the part that a pass needs is read, so the values of most Secrets are never read.
 */
export type Depth = 'metadata' | 'whole';
type Known = Depth | 'absent';

export interface CopiedObjectsOptions {
  /** The cluster. Only reads are sent to it. */
  readonly live: ClusterApi;
  readonly server: ApiServer;
  /** The API of the fork. */
  readonly fork: ClusterApi;
  /** The CustomResourceDefinitions of the planned version, by the id of their kind. They count as applied. */
  readonly definitions: ReadonlyMap<KindId, DesiredObject>;
  /** Called with each copied object, and again when more of it is copied. */
  readonly onCopy?: (object: KubeObject) => void;
}

/**
 * Copies an object of the cluster into the fork when a pass first reads it. The copy does not change with the cluster.
 * A failed read fails the pass that asked, and never counts as absence (R-1.17).
 */
export class CopiedObjects {
  /** Objects in the cluster that cannot be read. */
  readonly unreadable: (UnreadableObject & { readonly kind: KindId })[] = [];
  /**
   * Planned CustomResourceDefinitions that may not be read in the cluster. Their changes by the planned version are
   * unknown.
   */
  readonly uncompared = new Set<KindId>();
  readonly #options: CopiedObjectsOptions;
  readonly #listErrors = new Map<KindId, string>();
  readonly #known = new Map<string, Known>();
  /** By kind, namespace, selectors and depth. A list that failed is requested again. */
  readonly #lists = new Map<string, Promise<readonly UnreadableObject[]>>();
  readonly #reads = new Map<string, Promise<void>>();
  readonly #kinds = new Map<KindId, Promise<void>>();
  /** Planned kinds whose CustomResourceDefinition is not in the cluster, so there are no objects of them. */
  readonly #newKinds = new Set<KindId>();

  constructor(options: CopiedObjectsOptions) {
    this.#options = options;
  }

  /** @throws ApiError of the cluster, but not the one for an object that does not exist. */
  async object(type: ResourceType, name: ObjectName, depth: Depth): Promise<void> {
    await this.kind(type);
    const key = objectKey(kindId(type), name);
    if (this.#knows(key, depth)) return;
    await once(this.#reads, `${key} ${depth}`, () => this.#read(type, name, depth));
  }

  /**
   * Copies a namespace before something is created in it. A user who may create objects there may lack the right to
   * read the namespace.
   */
  async namespace(name: string): Promise<void> {
    try {
      await this.object(Namespaces, { namespace: '', name }, 'whole');
    } catch (error) {
      if (!isApiError(error, 'Forbidden')) throw error;
      const metadata = { name, uid: `unread-${name}`, resourceVersion: '1' };
      this.#load(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, status: { phase: 'Active' } });
      this.#known.set(objectKey(kindId(Namespaces), { namespace: '', name }), 'whole');
    }
  }

  /** Copies a whole list. @returns its objects that cannot be read. */
  async list(type: ResourceType, options: ListOptions): Promise<readonly UnreadableObject[]> {
    const depth: Depth = options.metadataOnly === true ? 'metadata' : 'whole';
    for (const wider of ['whole', depth] as const) {
      for (const covering of [listId(type, {}, wider), listId(type, options, wider)]) {
        const found = this.#lists.get(covering);
        if (found !== undefined) return await found;
      }
    }
    try {
      await this.kind(type);
      return await once(this.#lists, listId(type, options, depth), () => this.#readList(type, options, depth));
    } catch (error) {
      this.#listErrors.set(kindId(type), isApiError(error) ? error.message : 'it could not be listed');
      throw error;
    }
  }

  /** The objects that are not in the cluster, as `kind/namespace/name`. */
  absent(): string[] {
    return [...this.#known].flatMap(([key, known]) => (known === 'absent' ? [key] : []));
  }

  /** The lists that were read, as `kind/namespace/*`. */
  listed(): string[] {
    return [
      ...new Set(
        [...this.#lists.keys()].map((id) => id.split(' ')).map(([kind, , namespace]) => `${kind}/${namespace}/*`),
      ),
    ];
  }

  /** Why a kind could not be listed. */
  listError(kind: KindId): string {
    return this.#listErrors.get(kind) ?? 'it could not be listed';
  }

  /** Makes the fork serve a kind as the cluster does, or as the planned version does. */
  async kind(type: ResourceType): Promise<void> {
    const id = kindId(type);
    if (id === kindId(CustomResourceDefinitions)) return;
    await once(this.#kinds, id, () => this.#serve(type));
  }

  #knows(key: string, depth: Depth): boolean {
    const known = this.#known.get(key);
    return known === 'absent' || known === 'whole' || known === depth;
  }

  async #read(type: ResourceType, name: ObjectName, depth: Depth): Promise<void> {
    const key = objectKey(kindId(type), name);
    let found: KubeObject;
    try {
      found = await this.#options.live.get(type, name, { metadataOnly: depth === 'metadata' });
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'KindMissing')) throw error;
      // If the cluster has the definition, or may have it, then it may have the object too.
      const isPlanned = this.#options.definitions.has(kindId(type));
      if (isApiError(error, 'KindMissing') && isPlanned && !this.#newKinds.has(kindId(type))) throw error;
      if (!this.#known.has(key)) this.#known.set(key, 'absent');
      return;
    }
    await this.#keep(type, found, depth);
  }

  async #readList(type: ResourceType, options: ListOptions, depth: Depth): Promise<readonly UnreadableObject[]> {
    const { namespace, labelSelector, fieldSelector } = options;
    const unreadable: UnreadableObject[] = [];
    if (this.#newKinds.has(kindId(type)) && !(await this.#isServed(this.#options.live, type))) return unreadable;
    let next: Pick<ListOptions, 'continueToken' | 'limit'> | undefined = { limit: PAGE_SIZE };
    while (next !== undefined) {
      const page: Awaited<ReturnType<ClusterApi['list']>> = await this.#options.live.list(type, {
        ...next,
        metadataOnly: depth === 'metadata',
        skipUnreadable: true,
        ...(namespace !== undefined && { namespace }),
        ...(labelSelector !== undefined && { labelSelector }),
        ...(fieldSelector !== undefined && { fieldSelector }),
      });
      for (const object of page.unreadable ?? []) {
        unreadable.push(object);
        this.unreadable.push({ ...object, kind: kindId(type) });
      }
      for (const item of page.items) await this.#keep(type, item, depth);
      const { continueToken, nextLimit = PAGE_SIZE } = page;
      next = continueToken === undefined ? undefined : { continueToken, limit: nextLimit };
    }
    return unreadable;
  }

  async #keep(type: ResourceType, object: KubeObject, depth: Depth): Promise<void> {
    const { namespace = '', name } = object.metadata;
    const key = objectKey(kindId(type), { namespace, name });
    if (this.#knows(key, depth)) return;
    // The plan may have deleted or changed an object of which only the metadata was copied. Its state in the fork
    // counts then.
    if (this.#known.get(key) === 'metadata' && (await this.#isChanged(type, { namespace, name }))) return;
    if (this.#knows(key, depth)) return;
    this.#load(type, object);
    this.#known.set(key, depth);
  }

  async #isChanged(type: ResourceType, name: ObjectName): Promise<boolean> {
    try {
      const { metadata } = await this.#options.fork.get(type, name, { metadataOnly: true });
      return Number(metadata.resourceVersion) > PART_REVISION;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return true;
      throw error;
    }
  }

  /** @throws ApiError Malformed when the embedded API server cannot store the object. */
  #load(type: ResourceType, object: KubeObject): void {
    const whole = { ...object, apiVersion: apiVersion(type), kind: type.kind };
    try {
      this.#options.server.load(structuredClone(whole) as unknown as JsonObject);
      this.#options.onCopy?.(whole);
    } catch (cause) {
      const { namespace = '', name } = object.metadata;
      const where = namespace === '' ? name : `${namespace}/${name}`;
      throw new ApiError('Malformed', `${kindId(type)} ${where} cannot be held by the embedded API server`, { cause });
    }
  }

  async #serve(type: ResourceType): Promise<void> {
    const name = kindId(type);
    const planned = this.#options.definitions.get(name);
    if (planned === undefined && (await this.#isServed(this.#options.fork, type))) return;
    const definition = await this.#liveDefinition(name, planned);
    if (definition !== undefined) this.#load(CustomResourceDefinitions, definition);
    if (planned !== undefined) await this.#install(planned);
    if (definition !== undefined || planned !== undefined || !(await this.#isServed(this.#options.live, type))) return;
    const what = `the embedded API server does not have ${name}, and no CustomResourceDefinition defines it`;
    throw new ApiError('ServerError', `${what}: what reads objects of this kind cannot be planned`);
  }

  async #liveDefinition(name: KindId, planned: DesiredObject | undefined): Promise<KubeObject | undefined> {
    try {
      return await this.#options.live.get(CustomResourceDefinitions, { namespace: '', name });
    } catch (error) {
      if (isApiError(error, 'NotFound') && planned !== undefined) this.#newKinds.add(name);
      if (isApiError(error, 'NotFound', 'KindMissing')) return undefined;
      // Without the right to read CRDs, the planned one is used in place of the cluster's.
      if (isApiError(error, 'Forbidden') && planned !== undefined) {
        this.uncompared.add(name);
        return asStored(planned);
      }
      throw error;
    }
  }

  /** Applies a definition as an installation does, so that defaults of the API server do not count as changes. */
  async #install(definition: DesiredObject): Promise<void> {
    const name = { namespace: '', name: definition.metadata.name };
    const body = { type: 'apply', patch: definition, force: true } as const;
    await this.#options.fork.patch(CustomResourceDefinitions, name, body, { fieldManager: 'evenkeel-install' });
  }

  async #isServed(api: ClusterApi, type: ResourceType): Promise<boolean> {
    try {
      await api.list(type, { metadataOnly: true, limit: 1, skipUnreadable: true });
      return true;
    } catch (error) {
      if (isApiError(error, 'KindMissing')) return false;
      if (isApiError(error, 'Forbidden')) return true;
      throw error;
    }
  }
}

function asStored(definition: DesiredObject): KubeObject {
  const { name } = definition.metadata;
  return { ...definition, metadata: { ...definition.metadata, name, uid: `planned-${name}`, resourceVersion: '1' } };
}

function listId(type: ResourceType, options: ListOptions, depth: Depth): string {
  const { namespace = '', labelSelector = '', fieldSelector = '' } = options;
  return [kindId(type), depth, namespace, labelSelector, fieldSelector].join(' ');
}

/** Shares one call among all callers, also later ones. A failed call is repeated. */
async function once<Result>(
  calls: Map<string, Promise<Result>>,
  key: string,
  call: () => Promise<Result>,
): Promise<Result> {
  const found = calls.get(key);
  if (found !== undefined) return await found;
  const made = call();
  calls.set(key, made);
  try {
    return await made;
  } catch (error) {
    calls.delete(key);
    throw error;
  }
}
