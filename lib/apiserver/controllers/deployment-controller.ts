import { numberAt, objectAt } from '../json.ts';
import type { ServerState } from '../state/server-state.ts';
import type { StoredObject } from '../state/stored-object.ts';
import { type ClusterController, setCondition, writeStatus } from './cluster-controller.ts';
import { ObjectQueue } from './object-queue.ts';

const deployments = 'deployments.apps';

/**
 * Reports each Deployment as rolled out and available, as if its Pods were running. It creates no ReplicaSets and no
 * Pods.
 */
export class DeploymentController implements ClusterController {
  readonly #state: ServerState;
  readonly #queue: ObjectQueue;
  #on = false;

  constructor(state: ServerState) {
    this.#state = state;
    this.#queue = new ObjectQueue(state.store, deployments);
  }

  get on(): boolean {
    return this.#on;
  }

  get busy(): boolean {
    return this.#on && !this.#queue.empty;
  }

  switchOn(): void {
    this.#on = true;
    this.#queue.addAll();
  }

  switchOff(): void {
    this.#on = false;
  }

  run(): void {
    this.#queue.drain((deployment) => this.#rollOut(deployment));
  }

  #rollOut(deployment: StoredObject): void {
    if (deployment.terminating) return;
    const replicas = numberAt(objectAt(deployment.object, 'spec'), 'replicas') ?? 1;
    writeStatus(this.#state, deployments, deployment, (status) => {
      status.observedGeneration = numberAt(deployment.metadata, 'generation') ?? 1;
      for (const field of ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas']) {
        if (replicas === 0) delete status[field];
        else status[field] = replicas;
      }
      delete status.unavailableReplicas;
      setCondition(this.#state, status, available, ['lastUpdateTime']);
      setCondition(this.#state, status, progressing, ['lastUpdateTime']);
    });
  }
}

const available = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
};
const progressing = {
  type: 'Progressing',
  status: 'True',
  reason: 'NewReplicaSetAvailable',
  message: 'ReplicaSet has successfully progressed.',
};
