import type { ServerState } from '../state/server-state.ts';
import { objectKey, type StoredObject } from '../state/stored-object.ts';
import { internalWrite } from '../state/target.ts';
import { createObject } from '../verbs/create-object.ts';
import type { ClusterController } from './cluster-controller.ts';
import { ObjectQueue } from './object-queue.ts';

const namespaces = 'namespaces';
const accounts = 'serviceaccounts';
const name = 'default';

/** Keeps a service account `default` in every namespace. `kubectl create token default` returns tokens for it. */
export class ServiceAccountController implements ClusterController {
  readonly #state: ServerState;
  readonly #queue: ObjectQueue;
  #on = false;

  constructor(state: ServerState) {
    this.#state = state;
    this.#queue = new ObjectQueue(state.store, namespaces);
    state.store.onChange(({ collection, before, after }) => {
      // Creates it again when somebody deleted it.
      if (collection === accounts && after === undefined && before?.name === name) this.#queue.add(before.namespace);
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
    this.#queue.drain((namespace) => this.#ensureAccount(namespace));
  }

  #ensureAccount(namespace: StoredObject): void {
    if (namespace.terminating) return;
    const type = this.#state.kinds.byCollection(accounts);
    const isThere = this.#state.store.get(accounts, objectKey(namespace.name, name)) !== undefined;
    if (type === undefined || isThere) return;
    const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: namespace.name, name } };
    const target = { type, version: type.storageVersion, namespace: namespace.name, name };
    createObject(this.#state, target, object, internalWrite);
  }
}
