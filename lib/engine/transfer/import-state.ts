import { EvenkeelError } from '../../core/errors.ts';
import type { Target } from '../../core/target.ts';
import type { Clock, Entropy } from '../../ports/clock.ts';
import type { CommitRecord, StateStore, TargetState } from '../../ports/state-store.ts';
import type { ExportedObject, ExportedState } from './exported-state.ts';

export interface ImportOptions {
  readonly store: StateStore;
  readonly clock: Clock;
  readonly entropy: Pick<Entropy, 'id'>;
  /** The name of this process in the leases of the items that it writes. */
  readonly owner: string;
  /** The person who imports, e.g. `ann@laptop`. */
  readonly by: string;
  /** The name of the cluster in this installation. */
  readonly cluster: string;
  readonly onImported?: (count: number) => void;
}

export interface Imported {
  readonly imported: number;
  /** The number of objects that this installation has already reconciled: its state is newer, and was not changed. */
  readonly known: number;
}

/** Long enough for two requests to a table that is far away. */
const LEASE_MS = 30_000;
/** The number of parallel requests to the table. */
const AT_ONCE = 16;

/**
 * Stores the state that another installation had of a cluster. Each object is written under a lease, like in a pass. No
 * version is recorded as observed, so the next event starts a pass, which gets the values.
 * An object that this installation has already reconciled is not changed. So an import can be repeated after a failure.
 * @throws EvenkeelError ANOTHER_CLUSTER; InfrastructureError
 */
export async function importState(state: ExportedState, options: ImportOptions): Promise<Imported> {
  const { store, clock, cluster, onImported = () => {} } = options;
  const { uid, paused } = state.cluster;
  if (uid !== undefined) await pin(store, cluster, uid);
  // A person paused it for a reason. Without this, passes would start at once in the new installation.
  if (paused) await store.setPaused(cluster, true, { by: options.by, atMs: clock.now() });
  const { incarnation } = await store.readCluster(cluster);
  const waiting = [...state.objects].reverse();
  const counts = { imported: 0, known: 0 };
  const work = async () => {
    for (let object = waiting.pop(); object !== undefined; object = waiting.pop()) {
      const isNew = await importObject(object, incarnation, options);
      counts[isNew ? 'imported' : 'known'] += 1;
      onImported(counts.imported + counts.known);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return counts;
}

/** An export of another cluster would give its objects' values to foreign objects (R-5.16). */
async function pin(store: StateStore, cluster: string, uid: string): Promise<void> {
  const pinned = await store.pinClusterUid(cluster, uid);
  if (pinned === uid) return;
  throw new EvenkeelError(
    'ANOTHER_CLUSTER',
    `the export is of another cluster (${uid}) than the one that is registered here as ${cluster} (${pinned}): name the right one with --cluster NAME`,
  );
}

/** @returns whether it was written. */
async function importObject(
  object: ExportedObject,
  incarnation: number,
  { store, clock, entropy, owner, cluster }: ImportOptions,
): Promise<boolean> {
  const { kind, namespace, name, uid } = object;
  const target: Target = { cluster, kind, namespace, name, uid };
  const before = await store.readTarget(target);
  if (before !== undefined && wasReconciled(before)) return false;
  const nowMs = clock.now();
  const leaseUntilMs = nowMs + LEASE_MS;
  const acquired = await store.acquire({
    target,
    owner,
    attempt: entropy.id(),
    nowMs,
    leaseUntilMs,
    latestUntilMs: leaseUntilMs,
  });
  if (acquired.type === 'refused') return false;
  const { epoch, lastOutcome } = acquired.state;
  const hold = { target: acquired.state.target, owner, epoch };
  if (wasReconciled(acquired.state) && lastOutcome !== undefined) {
    // A pass ran in between: its values stay, and the next pass is due now.
    await store.defer(hold, { dueAtMs: nowMs, dueSetAtMs: nowMs, wakeSent: false, lastOutcome });
    return false;
  }
  const record = recordOf(object, acquired.state, incarnation, nowMs);
  if (await store.commit(hold, record)) return true;
  // An event arrived in between and left a pending mark: a pass follows.
  return await store.commitOverDirty(hold, { ...record, dueAtMs: nowMs, dueSetAtMs: nowMs });
}

/** An item of a target that was only put off has no state: another deployment drove the cluster, or it was paused. */
function wasReconciled({ observedVersion, values }: TargetState): boolean {
  return observedVersion !== undefined || Object.keys(values).length > 0;
}

function recordOf(object: ExportedObject, before: TargetState, incarnation: number, nowMs: number): CommitRecord {
  const { values = {}, failures = 0, retryAtMs, conditionOwners } = object;
  const times = [retryAtMs, before.dueAtMs].filter((time) => time !== undefined);
  const dueAtMs = times.length > 0 ? Math.min(...times) : undefined;
  return {
    incarnation,
    failures,
    bucket: before.bucket ?? { tokens: 0, atMs: 0 },
    values,
    ...(dueAtMs !== undefined && { dueAtMs, dueSetAtMs: nowMs }),
    wakeSent: false,
    versions: {},
    edges: before.edges,
    reconcilerVersion: '',
    lastOutcome: {
      type: 'anotherDeployment',
      reason: 'Imported',
      message: 'imported from another installation',
      atMs: nowMs,
      durationMs: 0,
      cause: 'requested',
    },
    ...(conditionOwners !== undefined && { conditionOwners }),
  };
}
