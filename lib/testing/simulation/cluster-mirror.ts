import type { ApiServer } from '../../apiserver/api-server.ts';
import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import { type KindId, kindId, type ResourceType } from '../../core/resource-type.ts';

type Backup = ReturnType<ApiServer['snapshot']>;

/** One write, as the API server reports it. */
export interface ServerChange {
  readonly collection: string;
  readonly before: { readonly object: unknown; readonly key: string } | undefined;
  readonly after: { readonly object: unknown; readonly key: string } | undefined;
}

/** A change of one object. */
export interface ObjectChange {
  readonly kind: KindId;
  readonly namespace: string;
  readonly name: string;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/** The true state of the cluster at this moment, whatever a process has seen of it. Read only. */
export class ClusterMirror {
  readonly #kinds = new Map<KindId, Map<string, KubeObject>>();
  readonly #listeners: ((change: ObjectChange) => void)[] = [];

  onChange(listener: (change: ObjectChange) => void): void {
    this.#listeners.push(listener);
  }

  find(kind: KindId, { namespace, name }: ObjectName): KubeObject | undefined {
    return this.#kinds.get(kind)?.get(storeKey(namespace, name));
  }

  get(type: ResourceType, name: ObjectName): KubeObject | undefined {
    return this.find(kindId(type), name);
  }

  /** The objects of a kind, in one namespace or in all, sorted by namespace and name. */
  list(type: ResourceType | KindId, namespace = ''): KubeObject[] {
    const objects = [...(this.#kinds.get(typeof type === 'string' ? type : kindId(type)) ?? [])];
    return objects
      .filter(([, { metadata }]) => namespace === '' || metadata.namespace === namespace)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, object]) => object);
  }

  /** Applies one write. */
  apply({ collection, before, after }: ServerChange): void {
    const key = (after ?? before)?.key ?? '';
    const objects = this.#open(collection);
    if (after === undefined) objects.delete(key);
    else objects.set(key, after.object as KubeObject);
    const [namespace, name] = key.includes('/') ? (key.split('/', 2) as [string, string]) : ['', key];
    const change: ObjectChange = {
      kind: collection,
      namespace,
      name,
      before: before?.object as KubeObject | undefined,
      after: after?.object as KubeObject | undefined,
    };
    for (const listener of this.#listeners) listener(change);
  }

  /** Applies a restore. */
  restore({ objects }: Backup): void {
    this.#kinds.clear();
    for (const [collection, stored] of objects) {
      const kind = this.#open(collection);
      for (const { key, object } of stored) kind.set(key, object as unknown as KubeObject);
    }
  }

  #open(kind: KindId): Map<string, KubeObject> {
    let objects = this.#kinds.get(kind);
    if (objects === undefined) {
      objects = new Map();
      this.#kinds.set(kind, objects);
    }
    return objects;
  }
}

/** The key of the API server's collections. */
function storeKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
