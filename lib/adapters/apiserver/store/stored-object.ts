import { clone, type JsonObject, objectAt, stringAt } from '../json.ts';
import type { TypeVersion } from '../kinds/resource-type.ts';

/** `namespace/name`, or `name` for cluster-scoped objects. Lists are in the order of these keys, as etcd's are. */
export function objectKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/**
 * One version of one object. Nothing of it is ever changed, so its JSON text is made once for each served version and
 * shared by every reader and watch.
 */
export class StoredObject {
  readonly key: string;
  readonly revision: number;
  /** In the storage version. Read only. */
  readonly object: JsonObject;
  /** The version whose schema the object was shaped by when it was written. */
  readonly shapedBy: TypeVersion;
  readonly metadata: JsonObject;
  readonly labels: JsonObject;
  readonly #views = new Map<TypeVersion, JsonObject>();
  readonly #texts = new Map<TypeVersion, string>();
  readonly #itemTexts = new Map<TypeVersion, string>();
  #metadataText: string | undefined;

  constructor(key: string, revision: number, object: JsonObject, shapedBy: TypeVersion) {
    this.key = key;
    this.revision = revision;
    this.object = object;
    this.shapedBy = shapedBy;
    this.metadata = objectAt(object, 'metadata') ?? {};
    this.labels = objectAt(this.metadata, 'labels') ?? {};
  }

  get uid(): string {
    return stringAt(this.metadata, 'uid');
  }

  get name(): string {
    return stringAt(this.metadata, 'name');
  }

  get namespace(): string {
    return stringAt(this.metadata, 'namespace');
  }

  get terminating(): boolean {
    return this.metadata.deletionTimestamp !== undefined;
  }

  /** The object as the version shows it. Read only: it may share parts with the stored form. */
  view(version: TypeVersion): JsonObject {
    const made = this.#views.get(version);
    if (made !== undefined) return made;
    let view = version.fromStorage === undefined ? this.object : version.fromStorage(this.object);
    if (view.apiVersion !== version.apiVersion) view = { ...view, apiVersion: version.apiVersion };
    if (version !== this.shapedBy && version.shape !== undefined) {
      // The schema changed since the object was written: its present defaults and pruning show on read.
      view = clone(view);
      version.shape(view);
    }
    this.#views.set(version, view);
    return view;
  }

  text(version: TypeVersion): string {
    const made = this.#texts.get(version);
    if (made !== undefined) return made;
    const text = JSON.stringify(this.view(version));
    this.#texts.set(version, text);
    return text;
  }

  /** The text as an element of a list: those of built-in kinds do without apiVersion and kind. */
  itemText(version: TypeVersion, custom: boolean): string {
    if (custom) return this.text(version);
    const made = this.#itemTexts.get(version);
    if (made !== undefined) return made;
    const { apiVersion: _, kind: __, ...rest } = this.view(version);
    const text = JSON.stringify(rest);
    this.#itemTexts.set(version, text);
    return text;
  }

  /** The PartialObjectMetadata form. */
  metadataText(): string {
    this.#metadataText ??= JSON.stringify(partialMetadata(this.object));
    return this.#metadataText;
  }

  /** The same object under another revision, which is how a deletion shows it. */
  at(revision: number): StoredObject {
    const object = { ...this.object, metadata: { ...this.metadata, resourceVersion: String(revision) } };
    return new StoredObject(this.key, revision, object, this.shapedBy);
  }
}

export function partialMetadata(object: JsonObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: objectAt(object, 'metadata') ?? {} };
}
