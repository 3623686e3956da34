import { MAX_SKEW_MS } from './faults/disturbances.ts';
import type { SimulationPlan } from './plan.ts';
import { rolesOf } from './roles.ts';
import type { ProcessBody, Simulation } from './simulation.ts';

const LONGEST_RESTART_MS = 10_000;

/** Starts the processes of a plan, each with its own clock, and restarts each one some time after a crash. */
export class Launcher {
  crashes = 0;
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  launchAll({ workers, relays, sweeps, resync }: SimulationPlan): void {
    const roles = rolesOf(this.#simulation);
    for (let number = 1; number <= workers; number += 1) this.#launch(`worker-${number}`, roles.worker);
    for (let number = 1; number <= relays; number += 1) this.#launch(`relay-${number}`, roles.relay);
    for (let number = 1; number <= sweeps; number += 1) this.#launch(`sweep-${number}`, roles.sweep);
    if (resync) this.#launch('resync', roles.resync);
  }

  #launch(role: string, body: ProcessBody): void {
    const simulation = this.#simulation;
    const { scheduler, host } = simulation;
    const process = simulation.start(role, body, scheduler.pick(2 * MAX_SKEW_MS) - MAX_SKEW_MS);
    const { onCrash } = process;
    process.onCrash = () => {
      onCrash();
      this.crashes += 1;
      scheduler.sleep(host, scheduler.pick(LONGEST_RESTART_MS)).then(() => {
        if (simulation.process(role) === process) this.#launch(role, body);
      });
    };
  }
}
