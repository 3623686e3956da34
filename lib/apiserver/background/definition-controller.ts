import { acceptNames } from '../definitions/accepted-names.ts';
import { customType } from '../definitions/custom-type.ts';
import {
  deletionInProgress,
  established,
  namesAccepted,
  notEstablished,
  setDefinitionCondition,
} from '../definitions/definition-conditions.ts';
import { clone, deepEqual, ensureObject, type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '../json.ts';
import { cleanupFinalizer } from '../kinds/built-in/custom-resource-definition.ts';
import { apiTime, type ServerState } from '../state/server-state.ts';
import type { StoredObject } from '../state/stored-object.ts';
import { internalWrite, type Target } from '../state/target.ts';
import type { WatchHub } from '../state/watch-hub.ts';
import { deleteObject } from '../verbs/delete-object.ts';
import { updateObject } from '../verbs/update-object.ts';
import type { BackgroundController } from './background.ts';

export const definitionCollection = 'customresourcedefinitions.apiextensions.k8s.io';

/**
 * Serves the kinds of CustomResourceDefinitions: accepts their names, establishes them, and removes their objects
 * before a definition is deleted. It runs right after the request that wrote the definition, so that the kind is served
 * at once.
 */
export class DefinitionController implements BackgroundController {
  readonly #state: ServerState;
  readonly #hub: WatchHub;
  readonly #dirty = new Set<string>();
  /** The specs that are served now, by definition name. */
  readonly #served = new Map<string, { readonly spec: JsonObject; readonly terminating: boolean }>();

  constructor(state: ServerState, hub: WatchHub) {
    this.#state = state;
    this.#hub = hub;
    state.store.onChange(({ collection, before, after }) => {
      const name = (after ?? before)?.name ?? '';
      if (collection === definitionCollection) this.#dirty.add(name);
      // When the last object of a deleting definition is gone, the definition can be removed.
      else if (after === undefined && this.#served.get(collection)?.terminating === true) this.#dirty.add(collection);
    });
  }

  get busy(): boolean {
    return this.#dirty.size > 0;
  }

  /** Applies all definitions that were written since the last call. */
  run(): void {
    while (this.#dirty.size > 0) {
      for (const name of [...this.#dirty]) {
        this.#dirty.delete(name);
        this.#reconcile(name);
      }
    }
  }

  /** Serves a definition that was added without a write, unchanged. */
  learn(name: string): void {
    const stored = this.#state.store.get(definitionCollection, name);
    if (stored !== undefined) this.#serve(stored);
  }

  /** Serves the definitions in the store, after the store was replaced. */
  reload(): void {
    for (const name of this.#served.keys()) this.#dirty.add(name);
    for (const { name } of this.#state.store.list(definitionCollection)) this.#dirty.add(name);
    this.run();
  }

  #reconcile(name: string): void {
    const stored = this.#state.store.get(definitionCollection, name);
    if (stored === undefined) {
      this.#unserve(name);
      return;
    }
    if (stored.terminating) {
      // After a restart the definition is not served yet, but its objects must still be removed.
      if (this.#served.has(name) || this.#state.store.list(name).length > 0) this.#serve(stored);
      this.#finalize(stored);
      return;
    }
    this.#establish(name);
  }

  #serve(stored: StoredObject): void {
    const spec = objectAt(stored.object, 'spec') ?? {};
    const served = this.#served.get(stored.name);
    if (served !== undefined && served.terminating === stored.terminating && deepEqual(served.spec, spec)) return;
    const type = customType(stored.object);
    this.#served.set(stored.name, { spec, terminating: stored.terminating });
    this.#state.kinds.set(type);
  }

  #unserve(name: string): void {
    if (!this.#served.delete(name)) return;
    const [resource = ''] = name.split('.');
    this.#state.kinds.delete(name.slice(resource.length + 1), resource);
    this.#hub.closeAll(name);
  }

  #finalize(stored: StoredObject): void {
    const type = this.#state.kinds.byCollection(stored.name);
    if (type !== undefined) {
      for (const { namespace, name } of this.#state.store.list(stored.name)) {
        deleteObject(this.#state, { type, version: type.storageVersion, namespace, name }, inBackground);
      }
    }
    if (this.#state.store.list(stored.name).length > 0) {
      this.#writeStatus(stored.name, (crd) =>
        setDefinitionCondition(crd, deletionInProgress, apiTime(this.#state.clock())),
      );
      return;
    }
    updateObject(
      this.#state,
      this.#target(stored.name),
      (crd) => {
        const copy = clone(crd);
        const metadata = ensureObject(copy, 'metadata');
        metadata.finalizers = stringsAt(metadata, 'finalizers').filter((each) => each !== cleanupFinalizer);
        return copy;
      },
      internalWrite,
    );
  }

  #establish(name: string): void {
    const now = apiTime(this.#state.clock());
    const spec = objectAt(this.#state.store.get(definitionCollection, name)?.object, 'spec');
    const wanted = objectAt(spec, 'names') ?? {};
    const group = stringAt(spec, 'group');
    const others = this.#state.kinds.all().filter((type) => type.group === group && type.collection !== name);
    const { names, clash } = acceptNames(wanted, others);
    this.#writeStatus(name, (crd) => {
      const status = ensureObject(crd, 'status');
      status.acceptedNames = names;
      if (clash !== undefined) {
        setDefinitionCondition(crd, { type: 'NamesAccepted', status: 'False', ...clash }, now);
        setDefinitionCondition(crd, notEstablished, now);
        return;
      }
      const storage = objectsAt(spec, 'versions').find((version) => version.storage === true);
      const storedVersions = stringsAt(status, 'storedVersions');
      const storageName = stringAt(storage, 'name');
      if (!storedVersions.includes(storageName)) status.storedVersions = [...storedVersions, storageName];
      setDefinitionCondition(crd, namesAccepted, now);
      setDefinitionCondition(crd, established, now);
    });
    const stored = this.#state.store.get(definitionCollection, name);
    if (stored !== undefined && clash === undefined) this.#serve(stored);
  }

  #writeStatus(name: string, change: (crd: JsonObject) => void): void {
    updateObject(
      this.#state,
      this.#target(name),
      (crd) => {
        const copy = clone(crd);
        change(copy);
        return copy;
      },
      { ...internalWrite, manager: 'apiserver', subresource: 'status' },
    );
  }

  #target(name: string): Target {
    const found = this.#state.kinds.byResource('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
    if (found === undefined) throw new Error('the kind CustomResourceDefinition is not registered');
    return { ...found, namespace: '', name };
  }
}

const inBackground = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  uid: undefined,
  resourceVersion: undefined,
};
