import type { KindId } from '../../core/resource-type.ts';
import type { StateStore, TargetState } from '../../ports/state-store.ts';
import type { ExportedObject, ExportedState } from './exported-state.ts';

export interface ExportedInventory extends Pick<ExportedState, 'cluster' | 'objects'> {
  /** Names of objects whose items cannot be read: they are not among the objects. */
  readonly unreadable: readonly string[];
}

/**
 * Reads what cannot be found out again: the durable values of controllers (digests of content, rollouts that are due, names of
 * what was made), failures with the time of the next try, and who owns which condition. Everything else is left out: the
 * first list of the other installation starts a pass of every object.
 *
 * @param kinds all kinds that the installation reconciles.
 * @param onRead told how many objects were read so far.
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

/** None for an object of which everything can be found out again. */
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
