import type { DesiredObject, JsonObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import { apiVersion, kindId, type ResourceType } from '../../core/resource-type.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import type { SeededEntropy } from '../seeded-entropy.ts';
import { describeError } from './describe-end.ts';

/** An object in the form in which users write it. */
export interface Written {
  readonly metadata: DesiredObject['metadata'];
  readonly [field: string]: unknown;
}

/** How many writes users sent, and how many of them the server refused. */
export interface UserWrites {
  asked: number;
  refused: number;
  /** The server's last refusal. */
  lastRefusal: string | undefined;
}

export const noWrites = (): UserWrites => ({ asked: 0, refused: 0, lastRefusal: undefined });

/** Adds the counts of later writes. */
export function addWrites(writes: UserWrites, later: Readonly<UserWrites>): void {
  writes.asked += later.asked;
  writes.refused += later.refused;
  writes.lastRefusal = later.lastRefusal ?? writes.lastRefusal;
}

const MANAGER = { fieldManager: 'user' } as const;

/** A person who works on the cluster: directly on the server, without faults, and with choices that a seed makes. */
export class User {
  readonly #api: ClusterApi;
  readonly #entropy: SeededEntropy;
  readonly #clock: () => number;
  readonly #tell: (what: string) => void;
  readonly #labelsOf: (type: ResourceType) => Readonly<Record<string, string>> | undefined;
  readonly #writes: UserWrites;

  /**
   * @param tell is called with each action, for the timeline.
   * @param labelsOf the labels that this user gives to each new object of a kind, so that the installation includes it.
   * @param writes counts what this user writes, and what of it is refused.
   */
  constructor(
    api: ClusterApi,
    entropy: SeededEntropy,
    clock: () => number,
    tell: (what: string) => void,
    labelsOf: (type: ResourceType) => Readonly<Record<string, string>> | undefined = () => undefined,
    writes: UserWrites = noWrites(),
  ) {
    this.#api = api;
    this.#entropy = entropy;
    this.#clock = clock;
    this.#tell = tell;
    this.#labelsOf = labelsOf;
    this.#writes = writes;
  }

  /** True time, epoch ms. */
  get nowMs(): number {
    return this.#clock();
  }

  /** A whole number in [0, below). */
  number(below: number): number {
    return Math.floor(this.#entropy.random() * below);
  }

  chance(probability: number): boolean {
    return this.#entropy.random() < probability;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.number(items.length)] ?? items[0];
  }

  async get(type: ResourceType, name: ObjectName): Promise<KubeObject | undefined> {
    try {
      return await this.#api.get(type, name);
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async list(type: ResourceType, namespace = ''): Promise<KubeObject[]> {
    return (await this.#api.list(type, { namespace })).items;
  }

  /** Creates the object, or merges it into the existing one. */
  async put(type: ResourceType, object: Written): Promise<void> {
    const { namespace = '', name } = object.metadata;
    const found = await this.get(type, { namespace, name });
    if (found === undefined) {
      const labels = this.#labelsOf(type);
      const labelled = {
        ...object,
        ...(labels !== undefined && {
          metadata: { ...object.metadata, labels: { ...labels, ...object.metadata.labels } },
        }),
      };
      const whole = { apiVersion: apiVersion(type), kind: type.kind, ...labelled } as DesiredObject;
      this.#tell(`creates ${describe(type, object.metadata)} ${contentOf(labelled)}`);
      await this.#attempt(() => this.#api.create(type, whole, MANAGER));
    } else {
      this.#tell(`edits ${describe(type, object.metadata)} ${contentOf(object)}`);
      const { metadata, ...content } = object;
      const { name: _, namespace: __, ...rest } = metadata;
      await this.#attempt(() => this.#patch(type, found, { ...content, metadata: rest } as unknown as JsonObject));
    }
  }

  /** Changes an object if it exists. */
  async edit(type: ResourceType, name: ObjectName, patch: JsonObject): Promise<void> {
    const found = await this.get(type, name);
    if (found === undefined) return;
    this.#tell(`edits ${describe(type, name)} ${JSON.stringify(patch)}`);
    await this.#attempt(() => this.#patch(type, found, patch));
  }

  /** Changes the status of an object if it exists, although only its controller should. */
  async editStatus(type: ResourceType, name: ObjectName, status: JsonObject): Promise<void> {
    const found = await this.get(type, name);
    if (found === undefined) return;
    this.#tell(`edits the status of ${describe(type, name)} ${JSON.stringify(status)}`);
    await this.#attempt(() =>
      this.#api.patch(type, name, { type: 'merge', patch: { status } }, { ...MANAGER, subresource: 'status' }),
    );
  }

  /** Deletes an object if it exists. */
  async remove(type: ResourceType, name: ObjectName): Promise<void> {
    const found = await this.get(type, name);
    if (found === undefined) return;
    this.#tell(`deletes ${describe(type, name)}`);
    await this.#attempt(() => this.#api.delete(type, name, { preconditions: { uid: found.metadata.uid } }));
  }

  /** Deletes an object and at once creates another one under its name. */
  async replace(type: ResourceType, object: Written): Promise<void> {
    const { namespace = '', name } = object.metadata;
    await this.remove(type, { namespace, name });
    if ((await this.get(type, { namespace, name })) === undefined) await this.put(type, object);
  }

  /** Removes all finalizers from an object, like a person who does not want to wait. */
  async forceFinalizers(type: ResourceType, name: ObjectName): Promise<void> {
    await this.edit(type, name, { metadata: { finalizers: null } });
  }

  #patch(type: ResourceType, { metadata }: KubeObject, patch: JsonObject): Promise<KubeObject> {
    const name = { namespace: metadata.namespace ?? '', name: metadata.name };
    return this.#api.patch(type, name, { type: 'merge', patch }, MANAGER);
  }

  /** A user sees the server's refusal and does not repeat the write. */
  async #attempt(write: () => Promise<unknown>): Promise<void> {
    this.#writes.asked += 1;
    try {
      await write();
    } catch (error) {
      if (!isApiError(error)) throw error;
      this.#writes.refused += 1;
      this.#writes.lastRefusal = describeError(error);
      this.#tell(`  is refused: ${describeError(error)}`);
    }
  }
}

function describe(
  type: ResourceType,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
): string {
  return `${kindId(type)} ${namespace ?? ''}/${name}`;
}

function contentOf({ metadata, ...content }: Written): string {
  const { name: _, namespace: __, ...rest } = metadata;
  return JSON.stringify({ ...(Object.keys(rest).length === 0 ? {} : { metadata: rest }), ...content });
}
