import type { ResourceType, TypeVersion } from './resource-type.ts';

/** A resource type in one of its versions. A path, or an object's apiVersion and kind, names one. */
export interface VersionedType {
  readonly type: ResourceType;
  readonly version: TypeVersion;
}

/** The resource types that are served now: the built-in ones, and one for each established CustomResourceDefinition. */
export class Kinds {
  readonly #types = new Map<string, ResourceType>();
  readonly #listeners: (() => void)[] = [];

  constructor(builtIn: readonly ResourceType[]) {
    for (const type of builtIn) this.#types.set(typeKey(type.group, type.resource), type);
  }

  /** All types, in the order in which they were added. */
  all(): ResourceType[] {
    return [...this.#types.values()];
  }

  /** Calls the listener after each change of the served types. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  get(group: string, resource: string): ResourceType | undefined {
    return this.#types.get(typeKey(group, resource));
  }

  byResource(group: string, version: string, resource: string): VersionedType | undefined {
    const type = this.get(group, resource);
    const served = type?.versions.find((each) => each.name === version && each.served);
    return type === undefined || served === undefined ? undefined : { type, version: served };
  }

  /** The type whose objects the store has under the name. When a collection has several views, the first one. */
  byCollection(collection: string): ResourceType | undefined {
    for (const type of this.#types.values()) if (type.collection === collection) return type;
    return undefined;
  }

  /** The type that an owner reference or another `apiVersion` and `kind` names. */
  byKind(apiVersion: string, kind: string): VersionedType | undefined {
    for (const type of this.#types.values()) {
      if (type.kind !== kind) continue;
      const version = type.versions.find((each) => each.apiVersion === apiVersion && each.served);
      if (version !== undefined) return { type, version };
    }
    return undefined;
  }

  set(type: ResourceType): void {
    this.#types.set(typeKey(type.group, type.resource), type);
    this.#changed();
  }

  delete(group: string, resource: string): void {
    if (this.#types.delete(typeKey(group, resource))) this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

function typeKey(group: string, resource: string): string {
  return `${group}/${resource}`;
}
