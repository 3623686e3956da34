import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
import { type Bounds, ELSEWHERE, isPaused, PAUSED } from './bounds.ts';
import type { PlannedWithdrawal, WithdrawalKind } from './planned-withdrawal.ts';
import type { Simulation } from './simulation.ts';
import type { User, Written } from './user.ts';

export interface Target {
  readonly type: ResourceType;
  readonly object: KubeObject;
  /** Whether only objects with evenkeel's label are targets, whatever the scope of the installation. */
  readonly onlyManaged: boolean;
}

const STRAY = 'stray-';

/**
 * Users pause objects or take them out of the scope, give them back, and write others that the installation must
 * ignore.
 */
export class Withdrawals {
  readonly #simulation: Simulation;
  readonly #bounds: Bounds;
  readonly #userOf: (seed: number) => User;

  /** @param userOf a user who adds no labels by default. */
  constructor(simulation: Simulation, bounds: Bounds, userOf: (seed: number) => User) {
    this.#simulation = simulation;
    this.#bounds = bounds;
    this.#userOf = userOf;
  }

  /** Objects of reconciled kinds within the namespaces of the installation. */
  targets(): Target[] {
    const { registry, cluster } = this.#simulation;
    return registry.controllers.flatMap(({ type, onlyManaged = false }) =>
      cluster
        .list(kindId(type))
        .map((object) => ({ type, object, onlyManaged }))
        .filter(({ object }) => !this.#bounds.isBeyond(object) && !object.metadata.name.startsWith(STRAY)),
    );
  }

  /** Whether the engine must do nothing about the object now: it is paused, or left out. */
  isTaken({ object, onlyManaged }: Target): boolean {
    return isPaused(object) || this.#bounds.leavesOut(object, onlyManaged);
  }

  async act({ kind, seed }: Omit<PlannedWithdrawal, 'atMs'>): Promise<void> {
    const user = this.#userOf(seed);
    const candidates = this.targets().filter((target) => isMeant(kind, target, this.isTaken(target)));
    const target = candidates[user.number(candidates.length)];
    if (target === undefined) return;
    switch (kind) {
      case 'pause':
      case 'take out':
        await this.take(target, kind, user);
        return;
      case 'unpause':
      case 'put back':
        await this.giveBack(target, user);
        return;
      case 'write elsewhere':
        await this.#writeStray(target, { namespace: ELSEWHERE, name: target.object.metadata.name }, user);
        return;
      case 'write aside': {
        const { namespace = '', name } = target.object.metadata;
        await this.#writeStray(target, { namespace, name: `${STRAY}${name}` }, user);
        return;
      }
    }
  }

  /** Pauses an object, or takes it out of the scope. */
  async take({ type, object }: Target, how: 'pause' | 'take out', user: User): Promise<void> {
    const { outside } = this.#bounds.selection ?? {};
    if (how === 'pause') await user.edit(type, nameOf(object), { metadata: { annotations: { [PAUSED]: 'true' } } });
    else if (outside !== undefined) await user.edit(type, nameOf(object), { metadata: { labels: { ...outside } } });
  }

  async giveBack({ type, object, onlyManaged }: Target, user: User): Promise<void> {
    const { inside } = this.#bounds.selection ?? {};
    const metadata = {
      ...(isPaused(object) && { annotations: { [PAUSED]: null } }),
      ...(!onlyManaged && this.#bounds.leavesOut(object, false) && inside !== undefined && { labels: { ...inside } }),
    };
    if (Object.keys(metadata).length > 0) await user.edit(type, nameOf(object), { metadata });
  }

  /** Puts everything back in scope, and removes the objects that the installation must ignore. */
  async giveAllBack(user: User): Promise<void> {
    for (const target of this.targets()) await this.giveBack(target, user);
    const { registry, cluster } = this.#simulation;
    for (const { type } of registry.controllers) {
      for (const { metadata } of cluster.list(kindId(type))) {
        if (metadata.name.startsWith(STRAY)) await user.remove(type, nameOf({ metadata }));
      }
    }
  }

  /** Writes a similar object that the installation must ignore; users also change and delete it. */
  async #writeStray({ type, object }: Target, name: ObjectName, user: User): Promise<void> {
    if (user.chance(0.3)) return await user.remove(type, name);
    const { outside = {} } = this.#bounds.selection ?? {};
    const labels = Object.fromEntries(Object.entries(outside).filter(([, value]) => value !== null));
    const written: Written = {
      metadata: {
        ...name,
        labels: labels as Record<string, string>,
        annotations: { note: String(user.number(1_000)) },
      },
      ...(object.spec !== undefined && { spec: object.spec }),
    };
    await user.put(type, written);
  }
}

function isMeant(kind: WithdrawalKind, { type, object, onlyManaged }: Target, isTaken: boolean): boolean {
  switch (kind) {
    case 'pause':
      return !isPaused(object);
    case 'unpause':
      return isPaused(object);
    case 'take out':
      return !onlyManaged && !isTaken;
    case 'put back':
      return !onlyManaged && isTaken;
    case 'write aside':
    case 'write elsewhere':
      return !onlyManaged && type.namespaced;
  }
}

function nameOf({ metadata }: Pick<KubeObject, 'metadata'>): ObjectName {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}
