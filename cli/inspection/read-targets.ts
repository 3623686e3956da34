import { objectKey, parseObjectKey } from '../../lib/core/observation.ts';
import { kindId, type ResourceType } from '../../lib/core/resource-type.ts';
import type { PollState, StateStore, TargetState } from '../../lib/ports/state-store.ts';
import type { TargetName } from './target-name.ts';

/** All objects of a kind; the shards are read in parallel. */
export async function* readInventory(
  store: StateStore,
  cluster: string,
  type: ResourceType,
): AsyncGenerator<TargetState> {
  const kind = kindId(type);
  for (let shard = 0; shard < store.shards; shard++) {
    let after: string | undefined;
    do {
      const page = await store.inventory(cluster, kind, shard, after);
      yield* page.items;
      after = page.next;
    } while (after !== undefined);
  }
}

/**
 * The objects with this name, the one with the latest pass first. An object that was deleted and created again may have
 * two items for a short time. The key of an item has the UID, so the kind's whole inventory is read.
 */
export async function findTargets(store: StateStore, cluster: string, name: TargetName): Promise<TargetState[]> {
  const found: TargetState[] = [];
  for await (const state of readInventory(store, cluster, name.type)) {
    if (state.target.namespace === name.namespace && state.target.name === name.name) found.push(state);
  }
  return found.sort((left, right) => right.epoch - left.epoch);
}

/** The polls of an object's dependencies, by the dependency's key. */
export async function readPolls(
  store: StateStore,
  state: TargetState,
  group: string,
  isPolled: (kind: string) => boolean,
): Promise<Map<string, PollState>> {
  const polls = new Map<string, PollState>();
  for (const key of new Set([...state.edges, ...Object.keys(state.versions)])) {
    const object = parseObjectKey(key);
    if (object.name === '*' || !isPolled(object.kind)) continue;
    const poll = await store.readPoll({ cluster: state.target.cluster, group, ...object });
    if (poll !== undefined) polls.set(objectKey(object.kind, object), poll);
  }
  return polls;
}
