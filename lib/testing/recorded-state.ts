import { targetId } from '../core/target.ts';
import type { StateStore, TargetState } from '../ports/state-store.ts';

/** A short lease is enough, because nothing else uses the table. */
const LEASE_MS = 1;

/**
 * Copies into a table in memory what a deployment recorded and controllers cannot find again: durable values,
 * remembered writes, and the owners of conditions. Observed versions are left out, so that each object gets a pass.
 */
export async function seedRecordedState(
  store: StateStore,
  recorded: AsyncIterable<TargetState>,
  cluster: string,
  nowMs: number,
): Promise<void> {
  const { incarnation } = await store.readCluster(cluster);
  for await (const state of recorded) {
    if (state.unreadable !== undefined) continue;
    const target = { ...state.target, cluster };
    const times = { nowMs, leaseUntilMs: nowMs + LEASE_MS, latestUntilMs: nowMs + LEASE_MS };
    const result = await store.acquire({
      target,
      ownAddress: true,
      owner: 'plan',
      attempt: targetId(target),
      ...times,
    });
    if (result.type !== 'acquired') continue;
    const hold = { target, owner: 'plan', epoch: result.state.epoch };
    const { values, rememberedWrites, conditionOwners } = state;
    await store.commit(hold, {
      incarnation,
      failures: 0,
      bucket: { tokens: Number.MAX_SAFE_INTEGER, atMs: nowMs },
      values,
      wakeSent: false,
      versions: {},
      edges: [],
      reconcilerVersion: '',
      lastOutcome: { type: 'settled', reason: '', message: '', atMs: nowMs, durationMs: 0, cause: 'requested' },
      ...(rememberedWrites !== undefined && { rememberedWrites }),
      ...(conditionOwners !== undefined && { conditionOwners }),
    });
  }
}
