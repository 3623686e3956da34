import { mountedClaims } from '../background/mounted-claims.ts';
import { clone, type JsonObject, objectAt, stringAt } from '../json.ts';
import { compareQuantities } from '../kinds/built-in/quantity.ts';
import type { ServerState } from '../state/server-state.ts';
import { objectKey, type StoredObject } from '../state/stored-object.ts';
import { internalWrite, type Target } from '../state/target.ts';
import { createObject } from '../verbs/create-object.ts';
import { deleteObject } from '../verbs/delete-object.ts';
import { updateObject } from '../verbs/update-object.ts';
import { type ClusterController, writeStatus } from './cluster-controller.ts';
import { ObjectQueue } from './object-queue.ts';

const claims = 'persistentvolumeclaims';
const volumes = 'persistentvolumes';
const classes = 'storageclasses.storage.k8s.io';

/**
 * Binds each claim that names an existing StorageClass to a new volume. Grows the claim if the class allows that.
 * Removes or releases the volume after the claim is gone. A class that waits for the first consumer waits for a Pod
 * that mounts the claim.
 */
export class VolumeController implements ClusterController {
  readonly #state: ServerState;
  readonly #claims: ObjectQueue;
  readonly #volumes: ObjectQueue;
  #on = false;

  constructor(state: ServerState) {
    this.#state = state;
    this.#claims = new ObjectQueue(state.store, claims);
    this.#volumes = new ObjectQueue(state.store, volumes);
    state.store.onChange(({ collection, before, after }) => {
      if (collection === classes && after !== undefined) this.#claims.addAll();
      if (collection === 'pods' && before === undefined && after !== undefined) {
        for (const key of mountedClaims(after)) this.#claims.add(key);
      }
      if (collection === claims && after === undefined) this.#volumes.addAll();
    });
  }

  get on(): boolean {
    return this.#on;
  }

  get busy(): boolean {
    return this.#on && !(this.#claims.empty && this.#volumes.empty);
  }

  switchOn(): void {
    this.#on = true;
    this.#claims.addAll();
    this.#volumes.addAll();
  }

  switchOff(): void {
    this.#on = false;
  }

  run(): void {
    this.#claims.drain((claim) => this.#provision(claim));
    this.#volumes.drain((volume) => this.#reclaim(volume));
  }

  #provision(claim: StoredObject): void {
    if (claim.terminating) return;
    const spec = objectAt(claim.object, 'spec');
    const storageClass = this.#state.store.get(classes, stringAt(spec, 'storageClassName'));
    if (storageClass === undefined) return;
    const requested = objectAt(objectAt(spec, 'resources'), 'requests')?.storage ?? '0';
    const status = objectAt(claim.object, 'status');
    if (stringAt(status, 'phase') === 'Bound') {
      const grows = (compareQuantities(requested, objectAt(status, 'capacity')?.storage) ?? 0) > 0;
      if (!grows || storageClass.object.allowVolumeExpansion !== true) return;
      writeStatus(this.#state, claims, claim, (each) => {
        each.capacity = { storage: requested };
      });
      return;
    }
    if (storageClass.object.volumeBindingMode === 'WaitForFirstConsumer' && !this.#isMounted(claim)) return;
    this.#bind(claim, storageClass, requested);
  }

  #bind(claim: StoredObject, storageClass: StoredObject, storage: JsonObject[string]): void {
    const spec = objectAt(claim.object, 'spec') ?? {};
    const name = `pvc-${claim.uid}`;
    const accessModes = clone(spec.accessModes ?? []);
    const volume: JsonObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        accessModes,
        capacity: { storage },
        claimRef: {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace: claim.namespace,
          name: claim.name,
          uid: claim.uid,
        },
        persistentVolumeReclaimPolicy: storageClass.object.reclaimPolicy ?? 'Delete',
        storageClassName: storageClass.name,
        volumeMode: spec.volumeMode ?? 'Filesystem',
      },
    };
    if (this.#state.store.get(volumes, name) === undefined) {
      createObject(this.#state, this.#target(volumes, '', name), volume, internalWrite);
    }
    const produce = (present: JsonObject): JsonObject => {
      const copy = clone(present);
      copy.spec = { ...objectAt(copy, 'spec'), volumeName: name };
      return copy;
    };
    updateObject(this.#state, this.#target(claims, claim.namespace, claim.name), produce, internalWrite);
    writeStatus(this.#state, claims, claim, (status) => {
      Object.assign(status, { phase: 'Bound', accessModes, capacity: { storage } });
    });
    const made = this.#state.store.get(volumes, name);
    if (made === undefined) return;
    writeStatus(this.#state, volumes, made, (status) => {
      status.phase = 'Bound';
    });
  }

  #reclaim(volume: StoredObject): void {
    const spec = objectAt(volume.object, 'spec');
    const reference = objectAt(spec, 'claimRef');
    if (reference === undefined || volume.terminating) return;
    const claim = this.#state.store.get(
      claims,
      objectKey(stringAt(reference, 'namespace'), stringAt(reference, 'name')),
    );
    if (claim !== undefined && claim.uid === stringAt(reference, 'uid')) return;
    writeStatus(this.#state, volumes, volume, (status) => {
      status.phase = 'Released';
    });
    if (stringAt(spec, 'persistentVolumeReclaimPolicy') === 'Delete') {
      deleteObject(this.#state, this.#target(volumes, '', volume.name), {
        dryRun: false,
        gracePeriodSeconds: undefined,
        propagationPolicy: undefined,
        uid: volume.uid,
        resourceVersion: undefined,
      });
    }
  }

  #isMounted(claim: StoredObject): boolean {
    return this.#state.store
      .list('pods', `${claim.namespace}/`)
      .some((pod) => !pod.terminating && mountedClaims(pod).includes(claim.key));
  }

  #target(collection: string, namespace: string, name: string): Target {
    const type = this.#state.kinds.byCollection(collection);
    if (type === undefined) throw new Error(`the kind of ${collection} is not registered`);
    return { type, version: type.storageVersion, namespace, name };
  }
}
