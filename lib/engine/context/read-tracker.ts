import { LeaseLostError } from '../../core/errors.ts';
import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import {
  ABSENT_VERSION,
  type EdgeKey,
  listKey,
  type ObjectKey,
  objectKey,
  versionNumber,
} from '../../core/observation.ts';
import type { KindId } from '../../core/resource-type.ts';
import type { EdgeStore, LeaseHold, TargetState } from '../../ports/state-store.ts';

/** A list whose read a pass has started. */
export interface Listing {
  readonly kind: KindId;
  /** Empty for all namespaces. */
  readonly namespace: string;
}

/**
 * Remembers what a pass read, in the only safe order: the edge is written, then the object is read, and the first read
 * of an object is recorded. So a change that only a later read shows never counts as already observed.
 * A list reads the whole kind at some moment between its start and its end. An object that it does not have was absent
 * at first, and absence has no version. This holds for every read that ends after the start of the list.
 */
export class ReadTracker {
  readonly edges = new Set<EdgeKey>();
  readonly #firstVersions = new Map<ObjectKey, number | undefined>();
  readonly #lists: Listing[] = [];
  readonly #store: EdgeStore;
  readonly #hold: LeaseHold;
  readonly #lastEdges: ReadonlySet<EdgeKey>;

  /** @param last the item that the acquire returned: its edges already exist. */
  constructor(store: EdgeStore, hold: LeaseHold, last: TargetState) {
    this.#store = store;
    this.#hold = hold;
    this.#lastEdges = new Set(last.edges);
  }

  /** @throws LeaseLostError when a newer pass of this target has written the edge. */
  async assertEdge(key: EdgeKey): Promise<void> {
    if (this.edges.has(key)) return;
    if (!this.#lastEdges.has(key)) {
      const { target, epoch } = this.#hold;
      const written = await this.#store.putEdge({ cluster: target.cluster, key, reader: target, epoch });
      if (!written)
        throw new LeaseLostError(`a newer pass of ${target.kind} ${target.namespace}/${target.name} has begun`);
    }
    this.edges.add(key);
  }

  /** Records a read by name. */
  recordRead(kind: KindId, name: ObjectName, object: KubeObject | undefined): void {
    const key = objectKey(kind, name);
    if (this.#firstVersions.has(key)) return;
    const isListed = this.hasListed(kind, name.namespace);
    this.#firstVersions.set(key, isListed ? undefined : versionOf(object));
  }

  /** Call this before the request for the first page. */
  beginList(kind: KindId, namespace: string): Listing {
    const listing = { kind, namespace };
    this.#lists.push(listing);
    return listing;
  }

  /** Records a complete list. */
  recordList(listing: Listing, items: readonly KubeObject[]): void {
    for (const item of items) {
      const { namespace = '', name } = item.metadata;
      const key = objectKey(listing.kind, { namespace, name });
      const version = versionOf(item);
      if (!this.#firstVersions.has(key)) {
        const isListed = this.#lists.some((list) => list !== listing && covers(list, listing.kind, namespace));
        this.#firstVersions.set(key, isListed ? undefined : version);
        continue;
      }
      // Another call read it since, and later than here.
      const recorded = this.#firstVersions.get(key);
      if (recorded !== undefined && (version === undefined || version < recorded))
        this.#firstVersions.set(key, version);
    }
  }

  /**
   * Records the version that our own write returned, if the precondition of the write was exactly the recorded version:
   * then there is no foreign change between the two.
   * @param basedOn the version in the precondition of the write; ABSENT_VERSION for a create.
   */
  recordWrite(kind: KindId, name: ObjectName, basedOn: number | undefined, written: KubeObject): void {
    const key = objectKey(kind, name);
    if (basedOn !== undefined && this.#firstVersions.has(key) && this.#firstVersions.get(key) === basedOn) {
      this.#firstVersions.set(key, versionOf(written));
    }
  }

  /** The recorded version of an object; undefined when no version, or no comparable one, was recorded. */
  recorded(key: ObjectKey): number | undefined {
    return this.#firstVersions.get(key);
  }

  /**
   * The versions for the commit. Reads without a version are left out: the next event of such an object does not count
   * as already observed.
   */
  versions(): Record<ObjectKey, number> {
    const versions: Record<ObjectKey, number> = {};
    for (const [key, version] of this.#firstVersions) if (version !== undefined) versions[key] = version;
    return versions;
  }

  /** Whether a list that contains objects of this kind and namespace was started. */
  hasListed(kind: KindId, namespace: string): boolean {
    return this.#lists.some((list) => covers(list, kind, namespace));
  }

  /** Whether the pass read this object, by name or in a list. */
  hasRead(kind: KindId, name: ObjectName): boolean {
    return (
      this.edges.has(objectKey(kind, name)) ||
      this.edges.has(listKey(kind, name.namespace)) ||
      this.edges.has(listKey(kind, ''))
    );
  }
}

function covers(list: Listing, kind: KindId, namespace: string): boolean {
  return list.kind === kind && (list.namespace === '' || list.namespace === namespace);
}

function versionOf(object: KubeObject | undefined): number | undefined {
  return object === undefined ? ABSENT_VERSION : versionNumber(object.metadata.resourceVersion);
}
