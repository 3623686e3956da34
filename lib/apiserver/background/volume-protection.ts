import { clone, ensureObject, type JsonObject, objectAt, stringAt, stringsAt } from '../json.ts';
import { claimProtection, volumeProtection } from '../kinds/built-in/volumes.ts';
import type { ServerState } from '../state/server-state.ts';
import type { StoredObject } from '../state/stored-object.ts';
import { internalWrite } from '../state/target.ts';
import { updateObject } from '../verbs/update-object.ts';
import type { BackgroundController } from './background.ts';
import { type Place, placeId } from './dependents.ts';
import { mountedClaims } from './mounted-claims.ts';

const claims = 'persistentvolumeclaims';
const volumes = 'persistentvolumes';

/**
 * Removes the protection finalizer of a deleting claim when no running Pod mounts it, and that of a deleting volume
 * when it is not bound.
 */
export class VolumeProtection implements BackgroundController {
  readonly #state: ServerState;
  /** Deleting objects that still have the finalizer, by collection and key. */
  readonly #held = new Map<string, Place>();
  #due = false;

  constructor(state: ServerState) {
    this.#state = state;
    state.store.onChange(({ collection, before, after }) => {
      if (collection === claims || collection === volumes) {
        if (after?.terminating === true) this.#hold(collection, after);
        else if (before !== undefined) this.#held.delete(placeId(collection, before.key));
      } else if (collection === 'pods' && this.#held.size > 0) this.#due = true;
    });
  }

  get busy(): boolean {
    return this.#due;
  }

  run(): void {
    this.#due = false;
    for (const { collection, key } of [...this.#held.values()]) {
      const object = this.#state.store.get(collection, key);
      if (object !== undefined) this.#release(collection, object);
    }
  }

  /** Starts again from the objects in the store. */
  reload(): void {
    this.#held.clear();
    for (const collection of [claims, volumes]) {
      for (const object of this.#state.store.list(collection)) if (object.terminating) this.#hold(collection, object);
    }
  }

  #hold(collection: string, { key }: StoredObject): void {
    this.#held.set(placeId(collection, key), { collection, key });
    this.#due = true;
  }

  #release(collection: string, object: StoredObject): void {
    const type = this.#state.kinds.byCollection(collection);
    const finalizer = collection === claims ? claimProtection : volumeProtection;
    if (type === undefined || !stringsAt(object.metadata, 'finalizers').includes(finalizer)) return;
    if (collection === claims ? this.#isMounted(object) : isBound(object)) return;
    const { namespace, name } = object;
    const target = { type, version: type.storageVersion, namespace, name };
    updateObject(this.#state, target, (present) => without(present, finalizer), internalWrite);
  }

  #isMounted(claim: StoredObject): boolean {
    return this.#state.store.list('pods', `${claim.namespace}/`).some((pod) => {
      const phase = stringAt(objectAt(pod.object, 'status'), 'phase');
      const placed = stringAt(objectAt(pod.object, 'spec'), 'nodeName') !== '';
      return placed && phase !== 'Succeeded' && phase !== 'Failed' && mountedClaims(pod).includes(claim.key);
    });
  }
}

function isBound(volume: StoredObject): boolean {
  return stringAt(objectAt(volume.object, 'status'), 'phase') === 'Bound';
}

function without(present: JsonObject, finalizer: string): JsonObject {
  const copy = clone(present);
  const metadata = ensureObject(copy, 'metadata');
  metadata.finalizers = stringsAt(metadata, 'finalizers').filter((each) => each !== finalizer);
  return copy;
}
