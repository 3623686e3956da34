import { clone, ensureObject, type JsonObject, objectsAt, stringsAt } from '../json.ts';
import { apiTime, type ServerState } from '../state/server-state.ts';
import type { Change } from '../state/store.ts';
import type { StoredObject } from '../state/stored-object.ts';
import { internalWrite, type Target } from '../state/target.ts';
import { deleteObject } from '../verbs/delete-object.ts';
import { updateObject } from '../verbs/update-object.ts';
import type { BackgroundController } from './background.ts';

/** Removes the contents of deleting namespaces, and then the namespaces. Finalizers are respected. */
export class NamespaceController implements BackgroundController {
  readonly #state: ServerState;
  readonly #queue = new Set<string>();
  readonly #terminating = new Set<string>();
  #enabled = true;

  constructor(state: ServerState) {
    this.#state = state;
    state.store.onChange((change) => this.#follow(change));
  }

  get busy(): boolean {
    return this.#enabled && this.#queue.size > 0;
  }

  /** While it is off, it only remembers the namespaces that must be emptied. */
  set enabled(enabled: boolean) {
    this.#enabled = enabled;
  }

  run(): void {
    for (const name of this.#queue) {
      this.#queue.delete(name);
      this.#empty(name);
    }
  }

  /** Starts again from the objects in the store. */
  reload(): void {
    this.#queue.clear();
    this.#terminating.clear();
    for (const namespace of this.#state.store.list('namespaces')) {
      if (namespace.terminating) this.#begin(namespace.name);
    }
  }

  #follow({ collection, before, after }: Change): void {
    if (collection === 'namespaces') {
      if (after?.terminating === true) this.#begin(after.name);
      else if (after === undefined && before !== undefined) this.#terminating.delete(before.name);
      return;
    }
    const namespace = (after ?? before)?.namespace ?? '';
    if (this.#terminating.has(namespace)) this.#queue.add(namespace);
  }

  #begin(name: string): void {
    this.#terminating.add(name);
    this.#queue.add(name);
  }

  #empty(name: string): void {
    const namespace = this.#state.store.get('namespaces', name);
    if (namespace?.terminating !== true) return;
    for (const { collection, object } of this.#contentOf(name)) {
      if (!object.terminating) this.#delete(collection, object);
    }
    const remaining = this.#contentOf(name);
    const target = this.#namespaceTarget(name);
    if (remaining.length > 0) {
      const write = { ...internalWrite, subresource: 'status' } as const;
      updateObject(this.#state, target, (present) => this.#withConditions(present, remaining), write);
      return;
    }
    const finalize = (present: JsonObject): JsonObject => {
      const copy = clone(present);
      ensureObject(copy, 'spec').finalizers = [];
      return copy;
    };
    updateObject(this.#state, target, finalize, { ...internalWrite, subresource: 'finalize' });
  }

  #delete(collection: string, { namespace, name, uid }: StoredObject): void {
    const type = this.#state.kinds.byCollection(collection);
    if (type === undefined) return;
    deleteObject(
      this.#state,
      { type, version: type.storageVersion, namespace, name },
      {
        dryRun: false,
        gracePeriodSeconds: undefined,
        propagationPolicy: 'Background',
        uid,
        resourceVersion: undefined,
      },
    );
  }

  #contentOf(name: string): { readonly collection: string; readonly object: StoredObject }[] {
    const { store } = this.#state;
    return store.collections().flatMap((collection) => {
      const objects = this.#isNamespaced(collection) ? store.list(collection, `${name}/`) : [];
      return objects.map((object) => ({ collection, object }));
    });
  }

  #isNamespaced(collection: string): boolean {
    return this.#state.kinds.byCollection(collection)?.scope === 'Namespaced';
  }

  #withConditions(
    present: JsonObject,
    remaining: readonly { readonly collection: string; readonly object: StoredObject }[],
  ): JsonObject {
    const copy = clone(present);
    const status = ensureObject(copy, 'status');
    const finalizers = count(remaining.flatMap(({ object }) => stringsAt(object.metadata, 'finalizers')));
    const resources = count(remaining.map(({ collection }) => this.#qualified(collection)));
    const content = resources.map(([resource, number]) => `${resource} has ${number} resource instances`).join(', ');
    const holders = finalizers.map(([name, number]) => `${name} in ${number} resource instances`).join(', ');
    const now = apiTime(this.#state.clock());
    const conditions = [
      condition('NamespaceContentRemaining', 'SomeResourcesRemain', `Some resources are remaining: ${content}`),
      ...(finalizers.length === 0
        ? []
        : [
            condition(
              'NamespaceFinalizersRemaining',
              'SomeFinalizersRemain',
              `Some content in the namespace has finalizers remaining: ${holders}`,
            ),
          ]),
    ];
    const old = objectsAt(status, 'conditions');
    status.conditions = conditions.map((each) => ({
      ...each,
      lastTransitionTime: old.find((one) => one.type === each.type)?.lastTransitionTime ?? now,
    }));
    return copy;
  }

  #qualified(collection: string): string {
    const type = this.#state.kinds.byCollection(collection);
    return type === undefined ? collection : `${type.resource}.${type.group}`;
  }

  #namespaceTarget(name: string): Target {
    const found = this.#state.kinds.byResource('', 'v1', 'namespaces');
    if (found === undefined) throw new Error('the kind Namespace is not registered');
    return { ...found, namespace: '', name };
  }
}

function condition(type: string, reason: string, message: string): JsonObject {
  return { type, status: 'True', reason, message };
}

/** The number of occurrences of each text, in alphabetical order. */
function count(texts: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([left], [right]) => (left < right ? -1 : 1));
}
