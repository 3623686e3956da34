import { clone, type JsonObject, jsonText, objectAt, stringAt } from '../json.ts';
import type { TypeVersion } from './resource-type.ts';

/** `namespace/name`, or `name` for a cluster-scoped object. Lists have the order of these keys, as in etcd. */
export function objectKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** An object in one served version, with the texts that were made so far. */
interface Shown {
  readonly version: TypeVersion;
  readonly view: JsonObject;
  text: string | undefined;
  itemText: string | undefined;
}

/**
 * One version of one object. It never changes, so its JSON text is made once for each served version, and all readers
 * and watches share it.
 */
export class StoredObject {
  readonly key: string;
  readonly revision: number;
  /** In the storage version. Read only. */
  readonly object: JsonObject;
  /** The version whose schema was applied when the object was written; undefined when another process wrote it. */
  readonly shapedBy: TypeVersion | undefined;
  readonly metadata: JsonObject;
  readonly labels: JsonObject;
  /** The forms that were made so far; nearly always one. */
  readonly #shown: Shown[] = [];
  #metadataText: string | undefined;

  constructor(key: string, revision: number, object: JsonObject, shapedBy: TypeVersion | undefined) {
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

  /** The object in the version. Read only: it may share parts with the stored form. */
  view(version: TypeVersion): JsonObject {
    return this.#show(version).view;
  }

  text(version: TypeVersion): string {
    const shown = this.#show(version);
    shown.text ??= jsonText(shown.view);
    return shown.text;
  }

  /** The text as an item of a list. Items of built-in kinds have no apiVersion and kind. */
  itemText(version: TypeVersion, custom: boolean): string {
    if (custom) return this.text(version);
    const shown = this.#show(version);
    if (shown.itemText === undefined) {
      const { apiVersion: _, kind: __, ...rest } = shown.view;
      shown.itemText = jsonText(rest);
    }
    return shown.itemText;
  }

  /** The PartialObjectMetadata form. */
  metadataText(): string {
    this.#metadataText ??= jsonText(partialMetadata(this.object));
    return this.#metadataText;
  }

  #show(version: TypeVersion): Shown {
    for (const shown of this.#shown) if (shown.version === version) return shown;
    const made = { version, view: this.#viewOf(version), text: undefined, itemText: undefined };
    this.#shown.push(made);
    return made;
  }

  #viewOf(version: TypeVersion): JsonObject {
    let view = version.fromStorage === undefined ? this.object : version.fromStorage(this.object);
    if (view.apiVersion !== version.apiVersion) view = { ...view, apiVersion: version.apiVersion };
    if (version !== this.shapedBy && version.shape !== undefined) {
      // The schema changed after the object was written, so the new defaults and the new pruning apply when it is read.
      view = clone(view);
      version.shape(view);
    }
    return view;
  }

  /** The same object with another revision, in the form that a deletion event needs. */
  at(revision: number): StoredObject {
    const object = { ...this.object, metadata: { ...this.metadata, resourceVersion: String(revision) } };
    return new StoredObject(this.key, revision, object, this.shapedBy);
  }
}

export function partialMetadata(object: JsonObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: objectAt(object, 'metadata') ?? {} };
}
