import type { Controller } from '../../core/controller.ts';
import type { JsonObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import { apiVersion, kindId, Namespaces, type ResourceType } from '../../core/resource-type.ts';
import type { PlannedDisturbance } from './faults/planned-disturbance.ts';
import type { Simulation } from './simulation.ts';
import type { User, Written } from './user.ts';

/** The namespace of forged objects, and the prefix of their names. */
export const FORGED = 'forged';
const PREFIX = `${FORGED}-`;
const OUR_LABEL = 'app.kubernetes.io/managed-by';
/** Conditions of these types belong to a user; no controller owns them. */
export const FOREIGN_TYPE = 'user.example.com/';

interface Child {
  readonly type: ResourceType;
  readonly object: Written;
}

/** Whether a user forged it. */
export function isForged({ metadata }: { readonly metadata: { namespace?: string; name: string } }): boolean {
  return metadata.namespace === FORGED || metadata.name.startsWith(PREFIX);
}

/** Users who forge: that an object is owned, that it is ours, or that a target is ready. */
export class Forgeries {
  readonly #simulation: Simulation;
  readonly #userOf: (seed: number) => User;
  readonly #marked: { type: ResourceType; name: ObjectName; patch: JsonObject }[] = [];
  /** Objects without an owner that got copies of our labels and annotations. */
  marksCopied = 0;
  /** Seeds for forgeries that happen as soon as a target is created. */
  readonly #atBirth: number[] = [];

  constructor(simulation: Simulation, userOf: (seed: number) => User) {
    this.#simulation = simulation;
    this.#userOf = userOf;
    simulation.cluster.onChange(({ kind, before, after }) => {
      const controller = simulation.registry.controllers.find(({ type }) => kindId(type) === kind);
      if (before !== undefined || after === undefined || controller === undefined) return;
      const seed = this.#atBirth.shift();
      // After the running write.
      if (seed !== undefined) Promise.resolve().then(() => this.#forge(userOf(seed), controller, after));
    });
  }

  async prepare(user: User): Promise<void> {
    await user.put(Namespaces, { metadata: { name: FORGED } });
  }

  async act({ kind, seed }: Pick<PlannedDisturbance, 'kind' | 'seed'>): Promise<void> {
    const user = this.#userOf(seed);
    const targets = this.#targets();
    const found = targets[user.number(targets.length)];
    if (kind === 'forge' && (found === undefined || user.chance(0.4))) this.#atBirth.push(seed);
    else if (found === undefined) return;
    else if (kind === 'forge') await this.#forge(user, found.controller, found.object);
    else if (kind === 'marks') await this.#mark(user, found.controller, found.object);
    else await this.#editStatus(user, found.controller.type, found.object);
  }

  /** Removes everything that was forged. */
  async undo(user: User): Promise<void> {
    this.#atBirth.length = 0;
    const { registry, cluster } = this.#simulation;
    for (const { type, name, patch } of this.#marked.splice(0)) await user.edit(type, name, patch);
    for (const { owns } of registry.controllers) {
      for (const type of owns) {
        for (const object of cluster.list(type)) if (isForged(object)) await user.remove(type, nameOf(object));
      }
    }
  }

  #targets(): { controller: Controller; object: KubeObject }[] {
    const { registry, cluster } = this.#simulation;
    return registry.controllers.flatMap((controller) =>
      cluster.list(controller.type).map((object) => ({ controller, object })),
    );
  }

  /** A child of the target, or an object that could be one. Reconciled objects are left alone. */
  #childOf(user: User, { owns }: Controller, owner: KubeObject, apiType: ResourceType): Child | undefined {
    const { registry, cluster } = this.#simulation;
    const types = owns.filter((type) => type.namespaced && registry.controllerOf(kindId(type)) === undefined);
    const type = types[user.number(types.length)];
    if (type === undefined) return undefined;
    const { uid, name, namespace = FORGED } = owner.metadata;
    const found = cluster.list(type).find(({ metadata }) => metadata.ownerReferences?.some((each) => each.uid === uid));
    const reference = { apiVersion: apiVersion(apiType), kind: apiType.kind, name, uid, controller: true };
    if (found === undefined) {
      const labels = { [OUR_LABEL]: 'evenkeel' };
      return {
        type,
        object: { metadata: { namespace, name: `${PREFIX}${name}`, labels, ownerReferences: [reference] } },
      };
    }
    const { metadata, status: _, ...content } = found;
    const { labels = {}, annotations = {} } = metadata;
    const copied = { namespace: metadata.namespace ?? FORGED, name: metadata.name, labels, annotations };
    return { type, object: { ...content, metadata: { ...copied, ownerReferences: [reference] } } };
  }

  /** Writes a copy in another namespace with the same name, or next to the original with a wrong name of the owner. */
  async #forge(user: User, controller: Controller, owner: KubeObject): Promise<void> {
    const child = this.#childOf(user, controller, owner, controller.type);
    if (child === undefined) return;
    const { metadata, ...content } = child.object;
    const elsewhere = user.chance(0.6);
    const [reference] = metadata.ownerReferences ?? [];
    if (reference === undefined) return;
    await user.put(child.type, {
      ...content,
      metadata: {
        ...metadata,
        namespace: elsewhere ? FORGED : (metadata.namespace ?? FORGED),
        name: elsewhere ? metadata.name : `${PREFIX}${user.number(100)}`,
        ownerReferences: [elsewhere ? reference : { ...reference, name: `not-${reference.name}` }],
        annotations: { ...metadata.annotations, forged: String(user.number(1_000)) },
      },
    });
  }

  /** Copies our marks onto an existing object without an owner, or onto a new one. */
  async #mark(user: User, controller: Controller, owner: KubeObject): Promise<void> {
    const child = this.#childOf(user, controller, owner, controller.type);
    if (child === undefined) return;
    this.marksCopied += 1;
    const { type } = child;
    const { namespace = FORGED, labels = {}, annotations = {} } = child.object.metadata;
    const foreign = this.#simulation.cluster
      .list(type, namespace)
      .filter(({ metadata }) => metadata.ownerReferences === undefined && metadata.labels?.[OUR_LABEL] === undefined);
    const found = foreign[user.number(foreign.length)];
    if (found === undefined || user.chance(0.5)) {
      await user.put(type, { metadata: { namespace, name: `${PREFIX}${user.number(100)}`, labels, annotations } });
      return;
    }
    const nulls = (of: object) => Object.fromEntries(Object.keys(of).map((key) => [key, null]));
    const undone = { metadata: { labels: nulls(labels), annotations: nulls(annotations) } };
    this.#marked.push({ type, name: nameOf(found), patch: undone });
    await user.edit(type, nameOf(found), { metadata: { labels, annotations } } as unknown as JsonObject);
  }

  async #editStatus(user: User, type: ResourceType, target: KubeObject): Promise<void> {
    const { conditions: read } = (target.status ?? {}) as { conditions?: unknown };
    const conditions = Array.isArray(read) ? (read as { type?: unknown }[]) : [];
    const choice = user.number(3);
    const condition = (of: string) => ({
      type: of,
      status: 'True',
      reason: 'Forged',
      message: 'a user says so',
      lastTransitionTime: `${new Date(user.nowMs).toISOString().slice(0, 19)}Z`,
    });
    const others = (of: string) => conditions.filter((each) => each.type !== of);
    const foreign = `${FOREIGN_TYPE}Checked${user.number(2)}`;
    const edited = [
      () => [...others('Ready'), condition('Ready')],
      () => conditions.slice(1),
      () => [...others(foreign), condition(foreign)],
    ][choice]?.();
    await user.editStatus(type, nameOf(target), { conditions: edited } as unknown as JsonObject);
  }
}

function nameOf({ metadata }: Pick<KubeObject, 'metadata'>): ObjectName {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}
