import { clone, type JsonObject, jsonText, objectAt, stringAt } from '../json.ts';
import type { TypeVersion } from './resource-type.ts';

/** `namespace/name`, or `name` for cluster-scoped objects. Lists are in the order of these keys, as etcd's are. */
export function objectKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** An object as one served version has it, and its texts as far as they were needed. */
interface Shown {
  readonly version: TypeVersion;
  readonly view: JsonObject;
  text: string | undefined;
  itemText: string | undefined;
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
  /** The version whose schema the object was shaped by when it was written; undefined when another process wrote it. */
  readonly shapedBy: TypeVersion | undefined;
  readonly metadata: JsonObject;
  readonly labels: JsonObject;
  /** What was made for each version so far; hardly ever more than one. */
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

  /** The object as the version shows it. Read only: it may share parts with the stored form. */
  view(version: TypeVersion): JsonObject {
    return this.#show(version).view;
  }

  text(version: TypeVersion): string {
    const shown = this.#show(version);
    shown.text ??= jsonText(shown.view);
    return shown.text;
  }

  /** The text as an element of a list: those of built-in kinds do without apiVersion and kind. */
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
      // The schema changed since the object was written: its present defaults and pruning show on read.
      view = clone(view);
      version.shape(view);
    }
    return view;
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
