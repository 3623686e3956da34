import { ApiError } from '../api-error.ts';
import { clone, deepEqual, ensureObject, type JsonObject, objectsAt, stringAt, stringsAt } from '../json.ts';
import type { ServerState } from '../state/server-state.ts';
import type { Change } from '../state/store.ts';
import { objectKey, type StoredObject } from '../state/stored-object.ts';
import { internalWrite, type Target } from '../state/target.ts';
import {
  awaitsDependents,
  deleteObject,
  foregroundFinalizer,
  orphanFinalizer,
  type PropagationPolicy,
} from '../verbs/delete-object.ts';
import { updateObject } from '../verbs/update-object.ts';
import type { BackgroundController } from './background.ts';
import { Dependents, ownerReferences, type Place, placeId } from './dependents.ts';

/** The state of the owner that a reference names. */
type Owner = 'solid' | 'waiting' | 'absent' | 'unknown';

/**
 * Deletes objects whose owners are gone, and does foreground and orphaning deletions, by the rules of
 * kube-controller-manager's garbage collector. An owner is the object with that UID and name in the dependent's own
 * namespace. An owner whose kind is not served proves nothing, so its dependents stay.
 */
export class GarbageCollector implements BackgroundController {
  readonly #state: ServerState;
  readonly #dependents = new Dependents();
  readonly #queue = new Map<string, Place>();
  /** Objects with an owner of unknown kind; checked again when the served kinds change. */
  readonly #unresolved = new Map<string, Place>();
  /** UIDs that were deleted here. In a part of a cluster, nothing else proves that an owner is gone. */
  readonly #deleted = new Set<string>();
  readonly #partial: boolean;
  #enabled = true;

  /** @param partial whether the store has only a part of its cluster. */
  constructor(state: ServerState, partial = false) {
    this.#state = state;
    this.#partial = partial;
    state.store.onChange((change) => this.#follow(change));
    state.kinds.onChange(() => this.#retryUnresolved());
  }

  get busy(): boolean {
    return this.#enabled && this.#queue.size > 0;
  }

  /** While it is off, it only remembers what it must check. */
  set enabled(enabled: boolean) {
    this.#enabled = enabled;
  }

  run(): void {
    for (const [id, place] of this.#queue) {
      this.#queue.delete(id);
      try {
        this.#examine(place);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
  }

  /** Adds an object that was added to the store without a write. */
  learn(collection: string, object: StoredObject): void {
    this.#dependents.follow({ revision: object.revision, collection, before: undefined, after: object });
  }

  /** Starts again from the objects in the store. */
  reload(): void {
    this.#queue.clear();
    this.#unresolved.clear();
    this.#dependents.reload(this.#state.store);
    for (const collection of this.#state.store.collections()) {
      for (const object of this.#state.store.list(collection)) this.#enqueueIfConcerned(collection, object);
    }
  }

  #follow(change: Change): void {
    this.#dependents.follow(change);
    const { collection, before, after } = change;
    if (after === undefined && before !== undefined) {
      if (this.#partial) this.#deleted.add(before.uid);
      for (const place of this.#dependents.of(before.uid)) this.#enqueue(place);
      this.#enqueueOwners(before);
      return;
    }
    if (after === undefined) return;
    if (before === undefined || !deepEqual(before.metadata.ownerReferences, after.metadata.ownerReferences)) {
      this.#enqueueIfConcerned(collection, after);
      if (before !== undefined) this.#enqueueOwners(before);
    }
    if (after.terminating) this.#enqueueIfConcerned(collection, after);
    if (awaitsDependents(after.object) && !(before !== undefined && awaitsDependents(before.object))) {
      for (const place of this.#dependents.of(after.uid)) this.#enqueue(place);
    }
  }

  #enqueueIfConcerned(collection: string, object: StoredObject): void {
    const finalizers = object.terminating ? stringsAt(object.metadata, 'finalizers') : [];
    const propagates = finalizers.includes(foregroundFinalizer) || finalizers.includes(orphanFinalizer);
    if (propagates || ownerReferences(object).length > 0) this.#enqueue({ collection, key: object.key });
  }

  #enqueue(place: Place): void {
    this.#queue.set(placeId(place.collection, place.key), place);
  }

  #enqueueOwners(dependent: StoredObject): void {
    for (const reference of ownerReferences(dependent)) {
      const place = this.#placeOf(reference, dependent.namespace);
      if (place !== undefined) this.#enqueue(place);
    }
  }

  #retryUnresolved(): void {
    for (const place of this.#unresolved.values()) this.#enqueue(place);
    this.#unresolved.clear();
  }

  #examine(place: Place): void {
    const object = this.#state.store.get(place.collection, place.key);
    const target = object === undefined ? undefined : this.#targetOf(place.collection, object);
    if (object === undefined || target === undefined) return;
    if (awaitsDependents(object.object)) {
      this.#finishForeground(object, target);
      return;
    }
    if (object.terminating) {
      if (stringsAt(object.metadata, 'finalizers').includes(orphanFinalizer)) this.#orphanDependents(object, target);
      return;
    }
    const references = ownerReferences(object);
    if (references.length === 0) return;
    const owners = references.map((reference) => this.#classify(reference, object, target));
    if (owners.includes('unknown')) {
      this.#unresolved.set(placeId(place.collection, place.key), place);
      return;
    }
    if (owners.includes('solid')) {
      const lost = references.filter((_, index) => owners[index] !== 'solid').map((each) => stringAt(each, 'uid'));
      if (lost.length > 0) this.#dropOwners(target, lost);
      return;
    }
    const passOn = owners.includes('waiting') && this.#dependents.of(object.uid).length > 0;
    deleteObject(this.#state, target, {
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagationPolicy: passOn ? 'Foreground' : ownPolicy(object),
      uid: object.uid,
      resourceVersion: String(object.revision),
    });
  }

  #classify(reference: JsonObject, dependent: StoredObject, target: Target): Owner {
    const found = this.#state.kinds.byKind(stringAt(reference, 'apiVersion'), stringAt(reference, 'kind'));
    if (found === undefined) return 'unknown';
    // A cluster-scoped object cannot have a namespaced owner, so the reference proves nothing.
    if (found.type.scope === 'Namespaced' && target.type.scope === 'Cluster') return 'unknown';
    const place = this.#placeOf(reference, dependent.namespace);
    const owner = place === undefined ? undefined : this.#state.store.get(place.collection, place.key);
    const uid = stringAt(reference, 'uid');
    if (owner === undefined && this.#partial && !this.#deleted.has(uid)) return 'unknown';
    if (owner === undefined || owner.uid !== uid) return 'absent';
    return awaitsDependents(owner.object) ? 'waiting' : 'solid';
  }

  #finishForeground(owner: StoredObject, target: Target): void {
    const blocking = this.#dependents.of(owner.uid).filter(({ collection, key }) => {
      const dependent = this.#state.store.get(collection, key);
      const references = dependent === undefined ? [] : ownerReferences(dependent);
      return references.some((each) => each.uid === owner.uid && each.blockOwnerDeletion === true);
    });
    if (blocking.length === 0) this.#removeFinalizer(target, foregroundFinalizer);
    else {
      for (const place of blocking) {
        if (this.#state.store.get(place.collection, place.key)?.terminating !== true) this.#enqueue(place);
      }
    }
  }

  #orphanDependents(owner: StoredObject, target: Target): void {
    for (const { collection, key } of this.#dependents.of(owner.uid)) {
      const dependent = this.#state.store.get(collection, key);
      const dependentTarget = dependent === undefined ? undefined : this.#targetOf(collection, dependent);
      if (dependentTarget !== undefined) this.#dropOwners(dependentTarget, [owner.uid]);
    }
    this.#removeFinalizer(target, orphanFinalizer);
  }

  #dropOwners(target: Target, uids: readonly string[]): void {
    this.#change(target, (metadata) => {
      const kept = objectsAt(metadata, 'ownerReferences').filter((each) => !uids.includes(stringAt(each, 'uid')));
      if (kept.length === 0) delete metadata.ownerReferences;
      else metadata.ownerReferences = [...kept];
    });
  }

  #removeFinalizer(target: Target, finalizer: string): void {
    this.#change(target, (metadata) => {
      const kept = stringsAt(metadata, 'finalizers').filter((each) => each !== finalizer);
      if (kept.length === 0) delete metadata.finalizers;
      else metadata.finalizers = kept;
    });
  }

  #change(target: Target, change: (metadata: JsonObject) => void): void {
    const produce = (present: JsonObject): JsonObject => {
      const copy = clone(present);
      change(ensureObject(copy, 'metadata'));
      return copy;
    };
    updateObject(this.#state, target, produce, internalWrite);
  }

  #placeOf(reference: JsonObject, namespace: string): Place | undefined {
    const found = this.#state.kinds.byKind(stringAt(reference, 'apiVersion'), stringAt(reference, 'kind'));
    if (found === undefined) return undefined;
    const inNamespace = found.type.scope === 'Namespaced' ? namespace : '';
    return { collection: found.type.collection, key: objectKey(inNamespace, stringAt(reference, 'name')) };
  }

  #targetOf(collection: string, { namespace, name }: StoredObject): Target | undefined {
    const type = this.#state.kinds.byCollection(collection);
    return type === undefined ? undefined : { type, version: type.storageVersion, namespace, name };
  }
}

function ownPolicy(object: StoredObject): PropagationPolicy {
  const finalizers = stringsAt(object.metadata, 'finalizers');
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}
