import type { JsonObject, KubeObject, ObjectMeta, ObjectName } from '../../lib/core/kube-object.ts';
import { apiVersion, type ResourceType } from '../../lib/core/resource-type.ts';
import { ChangeLog } from './change-log.ts';

export interface LazyObjectsOptions {
  readonly type: ResourceType;
  /** Begins the UIDs. */
  readonly cluster: string;
  readonly count: number;
  readonly namespaces: number;
  /** All fields but apiVersion, kind, metadata and status. */
  readonly content: (index: number) => JsonObject;
}

const CREATED = '2026-01-01T00:00:00Z';
/** The names have the order of the numbers, as the API server lists them. */
const DIGITS = 6;

/**
 * The objects of one kind in a cluster that are all alike. Of each one only its versions and its status are kept; the rest is
 * made when somebody reads it.
 */
export class LazyObjects {
  readonly type: ResourceType;
  readonly count: number;
  readonly changes = new ChangeLog();
  readonly #options: LazyObjectsOptions;
  readonly #versions: Float64Array;
  readonly #generations: Uint32Array;
  /** As JSON, which takes a third of the memory of the object. */
  readonly #statuses: (string | undefined)[];

  /** @param firstVersion the version of the first object; the others follow. */
  constructor(options: LazyObjectsOptions, firstVersion: number) {
    this.type = options.type;
    this.count = options.count;
    this.#options = options;
    this.#versions = Float64Array.from({ length: options.count }, (_, index) => firstVersion + index);
    this.#generations = new Uint32Array(options.count).fill(1);
    this.#statuses = new Array<string | undefined>(options.count);
  }

  uid(index: number): string {
    return `${this.#options.cluster}-${this.type.plural}-${digits(index)}`;
  }

  /** Undefined when there is no object of this name. */
  indexOf({ namespace, name }: ObjectName): number | undefined {
    const index = Number(name.slice(-DIGITS));
    return name === this.#name(index) && index < this.count && namespace === this.#namespace(index) ? index : undefined;
  }

  metadata(index: number, version = this.#versions[index] ?? 0): ObjectMeta {
    return {
      namespace: this.#namespace(index),
      name: this.#name(index),
      uid: this.uid(index),
      resourceVersion: String(version),
      generation: this.#generations[index] ?? 1,
      creationTimestamp: CREATED,
    };
  }

  /** Metadata only, as a watch or a list shows it. @param version of the change that shows it. */
  shown(index: number, version?: number): KubeObject {
    return { ...this.#head(), metadata: this.metadata(index, version) };
  }

  object(index: number): KubeObject {
    const status = this.#statuses[index];
    return {
      ...this.#head(),
      metadata: this.metadata(index),
      ...this.#options.content(index),
      ...(status !== undefined && { status: JSON.parse(status) as JsonObject }),
    };
  }

  /** @param what 'spec' raises the generation. */
  change(index: number, version: number, atMs: number, what: 'spec' | 'data' | { readonly status: unknown }): void {
    this.#versions[index] = version;
    if (what === 'spec') this.#generations[index] = (this.#generations[index] ?? 0) + 1;
    else if (what !== 'data') this.#statuses[index] = JSON.stringify(what.status);
    this.changes.append({ version, index, atMs });
  }

  #head(): Pick<KubeObject, 'apiVersion' | 'kind'> {
    return { apiVersion: apiVersion(this.type), kind: this.type.kind };
  }

  #name(index: number): string {
    return `${this.type.kind.toLowerCase()}-${digits(index)}`;
  }

  /** The first namespaces have the first objects, so that a list is in the order of the numbers. */
  #namespace(index: number): string {
    const { namespaces } = this.#options;
    return `team-${digits(Math.floor((index * namespaces) / this.count))}`;
  }
}

function digits(number: number): string {
  return String(number).padStart(DIGITS, '0');
}
