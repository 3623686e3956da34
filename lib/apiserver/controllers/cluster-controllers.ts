import type { ServerState } from '../state/server-state.ts';
import type { ClusterController } from './cluster-controller.ts';
import { DeploymentController } from './deployment-controller.ts';
import { PodController } from './pod-controller.ts';
import { ServiceAccountController } from './service-account-controller.ts';
import { VolumeController } from './volume-controller.ts';

export type ControllerName = 'deployments' | 'volumes' | 'pods' | 'service-accounts';

/**
 * Stand-ins for the controllers, the scheduler and the kubelet of a cluster, so that objects of the embedded server get
 * their results. All of them are off at the start, because a bare API server has none.
 */
export class ClusterControllers {
  readonly #byName: Readonly<Record<ControllerName, ClusterController>>;
  readonly #poke: () => void;

  /** @param poke tells the server that there may be work. */
  constructor(state: ServerState, poke: () => void) {
    this.#byName = {
      volumes: new VolumeController(state),
      pods: new PodController(state),
      deployments: new DeploymentController(state),
      'service-accounts': new ServiceAccountController(state),
    };
    this.#poke = poke;
  }

  /** All of them, in the order in which they run. */
  get all(): readonly ClusterController[] {
    return Object.values(this.#byName);
  }

  /** Switches on the named ones, or all. They also check existing objects. */
  switchOn(...names: readonly ControllerName[]): void {
    for (const controller of this.#named(names)) controller.switchOn();
    this.#poke();
  }

  /** Switches off the named ones, or all. */
  switchOff(...names: readonly ControllerName[]): void {
    for (const controller of this.#named(names)) controller.switchOff();
  }

  /** Makes those that are on check all objects again, after the store was replaced. */
  reload(): void {
    for (const controller of this.all) if (controller.on) controller.switchOn();
  }

  #named(names: readonly ControllerName[]): readonly ClusterController[] {
    return names.length === 0 ? this.all : names.map((name) => this.#byName[name]);
  }
}
