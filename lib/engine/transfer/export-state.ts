import type { KindId } from '../../core/resource-type.ts';
import type { StateStore, TargetState } from '../../ports/state-store.ts';
import type { ExportedObject, ExportedState } from './exported-state.ts';

export interface ExportedInventory extends Pick<ExportedState, 'cluster' | 'objects'> {
  /** Names of objects whose items cannot be read. They are not among the objects. */
  readonly unreadable: readonly string[];
}

/**
 * Reads the state that cannot be found in the cluster again: the durable values of controllers (digests of content, due
 * rollouts, names of created objects), failures with the time of the next pass, and the owners of conditions.
 * Everything else is left out: the first list of the other installation starts a pass of every object.
 * @param kinds all kinds that the installation reconciles.
 * @param onRead called with the number of objects that were read so far.
 * @throws InfrastructureError
 */
export async function exportState(
  store: StateStore,
  cluster: string,
  kinds: readonly KindId[],
  onRead: (count: number) => void = () => {},
): Promise<ExportedInventory> {
  const { clusterUid, paused } = await store.readCluster(cluster);
  const objects: ExportedObject[] = [];
  const unreadable: string[] = [];
  let count = 0;
  for (const kind of kinds) {
    for await (const state of inventoryOf(store, cluster, kind)) {
      const { namespace, name } = state.target;
      if (state.unreadable !== undefined) unreadable.push(`${kind} ${namespace}/${name}`);
      else objects.push(...exported(state));
      count += 1;
      onRead(count);
    }
  }
  objects.sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1));
  const uid = clusterUid === undefined ? {} : { uid: clusterUid };
  return { cluster: { name: cluster, ...uid, paused }, objects, unreadable };
}

async function* inventoryOf(store: StateStore, cluster: string, kind: KindId): AsyncGenerator<TargetState> {
  for (let shard = 0; shard < store.shards; shard += 1) {
    let after: string | undefined;
    do {
      const page = await store.inventory(cluster, kind, shard, after);
      yield* page.items;
      after = page.next;
    } while (after !== undefined);
  }
}

/** Empty for an object whose whole state can be found in the cluster again. */
function exported({ target, values, failures, dueAtMs, conditionOwners }: TargetState): ExportedObject[] {
  const known = {
    ...(Object.keys(values).length > 0 && { values }),
    ...(failures > 0 && { failures, ...(dueAtMs !== undefined && { retryAtMs: dueAtMs }) }),
    ...(conditionOwners !== undefined && { conditionOwners }),
  };
  if (Object.keys(known).length === 0) return [];
  const { kind, namespace, name, uid } = target;
  return [{ kind, namespace, name, uid, ...known }];
}

function sortKey({ kind, namespace, name, uid }: ExportedObject): string {
  return [kind, namespace, name, uid].join('\0');
}
