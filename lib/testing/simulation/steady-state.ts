import type { Acts } from './acts.ts';
import type { Checkers } from './checkers.ts';
import { leaveAlone } from './leave-alone.ts';
import { LATEST_RESYNC, type SimulationPlan } from './plan.ts';
import type { Simulation } from './simulation.ts';
import type { Fault, Workload } from './workload.ts';

/** In the steady state, passes have handled a change within this time. Polled objects are read each half minute. */
const RESPONSE_BOUND_MS = 90_000;

export interface SteadyStateOptions {
  readonly simulation: Simulation;
  readonly checkers: Checkers;
  readonly acts: Acts;
  readonly plan: SimulationPlan;
  readonly workloads: readonly Workload[];
  /** Runs until nothing is left to do, but not longer than `byMs`. @returns what is left. */
  readonly rest: (byMs: number, unrestOf?: () => Fault[]) => Promise<Fault[]>;
}

/** What happens after all has converged and while no faults happen: passes must handle each change, and at once. */
export class SteadyState {
  readonly #options: SteadyStateOptions;

  constructor(options: SteadyStateOptions) {
    this.#options = options;
  }

  async carryOn(): Promise<void> {
    for (const step of [this.#repairDrift, this.#leaveAlone, this.#respond]) {
      await step.call(this);
      if (this.#found) return;
    }
  }

  /** Changes that nobody watches must be repaired by the resync timer of each target. */
  async #repairDrift(): Promise<void> {
    const { simulation, checkers, acts, plan, workloads, rest } = this.#options;
    const { targetResyncMs } = simulation.passOptions;
    if (targetResyncMs === undefined) return;
    for (const { drift } of workloads) await drift?.(acts.userOf(plan.seed));
    const byMs = simulation.scheduler.now() + targetResyncMs * LATEST_RESYNC + RESPONSE_BOUND_MS;
    for (const fault of await rest(byMs)) checkers.report(fault, 'I11');
  }

  /** Users pause targets or take them out of the scope for a while, if the plan has that. */
  async #leaveAlone(): Promise<void> {
    const { simulation, checkers, acts, plan, workloads, rest } = this.#options;
    for (const how of ['pause', 'take out'] as const) {
      if (this.#found || !plan.withdrawals.some(({ kind }) => kind === how)) continue;
      const user = acts.userOf(plan.seed + 2);
      const disturb = async () => {
        for (const workload of workloads.keys()) await this.#lastChange(workload, plan.seed + 1);
      };
      const settle = async () => {
        for (const workload of workloads) await workload.settle?.(acts.userOf(plan.seed));
      };
      await leaveAlone({ simulation, checkers, withdrawals: acts.withdrawals, how, user, disturb, settle, rest });
    }
  }

  /** Makes a last change, to show that everything still works. */
  async #respond(): Promise<void> {
    const { simulation, checkers, plan, workloads, rest } = this.#options;
    const troubled = checkers.restless().length > 0;
    for (const [index, { settle }] of workloads.entries()) {
      await this.#lastChange(index, plan.seed);
      await settle?.(this.#options.acts.userOf(plan.seed));
      const unrest = await rest(simulation.scheduler.now() + RESPONSE_BOUND_MS);
      for (const fault of unrest) checkers.report(fault, troubled ? 'I9' : undefined);
      if (this.#found) return;
    }
  }

  async #lastChange(workload: number, seed: number): Promise<void> {
    const { acts, workloads } = this.#options;
    const { actions = {}, lastChange } = workloads[workload] ?? {};
    const names = Object.keys(actions);
    const action = names[seed % names.length] ?? '';
    if (lastChange === undefined) await acts.act({ workload, action, seed });
    else await lastChange(acts.userOf(seed));
  }

  get #found(): boolean {
    return this.#options.checkers.violations.length > 0;
  }
}
