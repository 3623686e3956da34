import { mountedClaims } from '../background/mounted-claims.ts';
import { clone, ensureObject, type JsonObject, objectAt, objectsAt, stringAt } from '../json.ts';
import { apiTime, type ServerState } from '../state/server-state.ts';
import type { StoredObject } from '../state/stored-object.ts';
import { deleteObject } from '../verbs/delete-object.ts';
import { type ClusterController, setCondition, writeStatus } from './cluster-controller.ts';
import { ObjectQueue } from './object-queue.ts';

const pods = 'pods';
const claims = 'persistentvolumeclaims';
const node = 'embedded';

/**
 * Scheduler and kubelet in one. A Pod with bound claims gets a node, and is running and ready at once. A deleting Pod
 * ends at once, without its grace period.
 */
export class PodController implements ClusterController {
  readonly #state: ServerState;
  readonly #queue: ObjectQueue;
  #on = false;

  constructor(state: ServerState) {
    this.#state = state;
    this.#queue = new ObjectQueue(state.store, pods);
    state.store.onChange(({ collection, after }) => {
      // A Pod may have waited for a claim that is bound now.
      if (collection === claims && after !== undefined && isBound(after)) this.#queue.addAll();
    });
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
    this.#queue.drain((pod) => {
      if (pod.terminating) this.#end(pod);
      else if (stringAt(objectAt(pod.object, 'status'), 'phase') === 'Pending') this.#start(pod);
    });
  }

  #end({ namespace, name, uid }: StoredObject): void {
    const type = this.#state.kinds.byCollection(pods);
    if (type === undefined) return;
    deleteObject(
      this.#state,
      { type, version: type.storageVersion, namespace, name },
      { dryRun: false, gracePeriodSeconds: 0, propagationPolicy: undefined, uid, resourceVersion: undefined },
    );
  }

  #start(pod: StoredObject): void {
    const unbound = mountedClaims(pod).filter((key) => !this.#isBound(key));
    if (unbound.length > 0) {
      const message = `pod has unbound immediate PersistentVolumeClaims: ${unbound.join(', ')}`;
      writeStatus(this.#state, pods, pod, (status) => {
        const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
        setCondition(this.#state, status, condition);
      });
      return;
    }
    const placed = stringAt(objectAt(pod.object, 'spec'), 'nodeName') === '' ? this.#place(pod) : pod;
    writeStatus(this.#state, pods, placed, (status) => this.#report(placed, status));
  }

  /** Sets the node, as the binding subresource does, because an update cannot set it. */
  #place(pod: StoredObject): StoredObject {
    const placed = clone(pod.object);
    ensureObject(placed, 'spec').nodeName = node;
    return this.#state.store.put(pods, pod.key, placed, pod.shapedBy);
  }

  #report(pod: StoredObject, status: JsonObject): void {
    const now = apiTime(this.#state.clock());
    const podIP = addressOf(pod.uid);
    for (const type of ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled']) {
      setCondition(this.#state, status, { type, status: 'True' });
    }
    Object.assign(status, {
      phase: 'Running',
      hostIP: '10.0.0.1',
      hostIPs: [{ ip: '10.0.0.1' }],
      podIP,
      podIPs: [{ ip: podIP }],
      startTime: now,
      containerStatuses: objectsAt(objectAt(pod.object, 'spec'), 'containers').map((container) => ({
        name: stringAt(container, 'name'),
        image: stringAt(container, 'image'),
        imageID: '',
        containerID: `embedded://${pod.uid}/${stringAt(container, 'name')}`,
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: now } },
        lastState: {},
      })),
    });
  }

  #isBound(key: string): boolean {
    const claim = this.#state.store.get(claims, key);
    return claim !== undefined && isBound(claim);
  }
}

function isBound(claim: StoredObject): boolean {
  return stringAt(objectAt(claim.object, 'status'), 'phase') === 'Bound';
}

/** An address of 10.244.0.0/16, computed from the UID. */
function addressOf(uid: string): string {
  let hash = 0;
  for (const character of uid) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return `10.244.${(hash >>> 8) % 256}.${1 + (hash % 254)}`;
}
