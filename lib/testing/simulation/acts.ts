import { SeededEntropy } from '../seeded-entropy.ts';
import { meddleWith } from './meddle-with.ts';
import type { PlannedAction } from './plan.ts';
import type { ObservedCall } from './process.ts';
import type { Simulation } from './simulation.ts';
import { User } from './user.ts';
import type { Workload } from './workload.ts';

/** What users do in a run. */
export class Acts {
  readonly #simulation: Simulation;
  readonly #workloads: readonly Workload[];

  constructor(simulation: Simulation, workloads: readonly Workload[]) {
    this.#simulation = simulation;
    this.#workloads = workloads;
  }

  /** A user whose choices this seed makes. */
  userOf(seed: number): User {
    const { direct, scheduler } = this.#simulation;
    const tell = (what: string) => scheduler.trace.add(scheduler.now(), 'user', what);
    return new User(direct, new SeededEntropy(seed), () => scheduler.now(), tell);
  }

  async act({ workload, action, seed }: Omit<PlannedAction, 'atMs'>): Promise<void> {
    const { scheduler } = this.#simulation;
    scheduler.trace.add(scheduler.now(), 'user', `does: ${action}`);
    await this.#workloads[workload]?.actions[action]?.(this.userOf(seed));
  }

  /** A user does something at the worst moment: to anything, or to the very object of the call. */
  async meddle(seed: number, call: ObservedCall): Promise<void> {
    const user = this.userOf(seed);
    const namesAreTaken = this.#workloads.every((workload) => workload.namesAreTaken === true);
    if (user.chance(0.5) && (await meddleWith(call, user, namesAreTaken))) return;
    const workload = user.number(this.#workloads.length);
    const names = Object.keys(this.#workloads[workload]?.actions ?? {});
    await this.act({ workload, action: names[user.number(names.length)] ?? '', seed: seed + 1 });
  }
}
