import { kindId, type ResourceType } from '../../core/resource-type.ts';
import { SeededEntropy } from '../seeded-entropy.ts';
import { Bounds } from './bounds.ts';
import { Forgeries } from './forgeries.ts';
import { meddleWith } from './meddle-with.ts';
import type { PlannedAction } from './plan.ts';
import type { PlannedWithdrawal } from './planned-withdrawal.ts';
import type { ObservedCall } from './process.ts';
import type { Simulation } from './simulation.ts';
import { User } from './user.ts';
import { Withdrawals } from './withdrawals.ts';
import type { Workload } from './workload.ts';

/** The actions of users in a run. */
export class Acts {
  readonly #simulation: Simulation;
  readonly #workloads: readonly Workload[];
  readonly #labels: Readonly<Record<string, string>> | undefined;
  readonly withdrawals: Withdrawals;
  readonly forgeries: Forgeries;

  constructor(simulation: Simulation, workloads: readonly Workload[]) {
    this.#simulation = simulation;
    this.#workloads = workloads;
    const bounds = new Bounds(simulation.passOptions.scope);
    this.#labels = bounds.selection?.byDefault === false ? withoutNulls(bounds.selection.inside) : undefined;
    this.forgeries = new Forgeries(simulation, (seed) => this.#user(seed, () => undefined));
    this.withdrawals = new Withdrawals(simulation, bounds, (seed) => this.#user(seed, () => undefined));
  }

  /** A user whose choices this seed makes. */
  userOf(seed: number): User {
    return this.#user(seed, (type) => (this.#isTarget(type) ? this.#labels : undefined));
  }

  #user(seed: number, labelsOf: (type: ResourceType) => Readonly<Record<string, string>> | undefined): User {
    const { direct, scheduler, userWrites } = this.#simulation;
    const tell = (what: string) => scheduler.trace.add(scheduler.now(), 'user', what);
    return new User(direct, new SeededEntropy(seed), () => scheduler.now(), tell, labelsOf, userWrites);
  }

  #isTarget(type: ResourceType): boolean {
    const controller = this.#simulation.registry.controllerOf(kindId(type));
    return controller !== undefined && controller.onlyManaged !== true;
  }

  async act({ workload, action, seed }: Omit<PlannedAction, 'atMs'>): Promise<void> {
    const { scheduler } = this.#simulation;
    scheduler.trace.add(scheduler.now(), 'user', `does: ${action}`);
    await this.#workloads[workload]?.actions[action]?.(this.userOf(seed));
  }

  async withdraw(withdrawal: Omit<PlannedWithdrawal, 'atMs'>): Promise<void> {
    const { scheduler } = this.#simulation;
    scheduler.trace.add(scheduler.now(), 'user', `does: ${withdrawal.kind}`);
    await this.withdrawals.act(withdrawal);
  }

  /** A user acts during a call: on any object, or on the object of the call. */
  async meddle(seed: number, call: ObservedCall): Promise<void> {
    const user = this.userOf(seed);
    const namesAreTaken = this.#workloads.every((workload) => workload.namesAreTaken === true);
    if (user.chance(0.5) && (await meddleWith(call, user, namesAreTaken))) return;
    const workload = user.number(this.#workloads.length);
    const names = Object.keys(this.#workloads[workload]?.actions ?? {});
    await this.act({ workload, action: names[user.number(names.length)] ?? '', seed: seed + 1 });
  }
}

function withoutNulls(labels: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter((entry): entry is [string, string] => entry[1] !== null));
}
