import { marksAreCovered } from '../../core/cover.ts';
import type { LeaseTimings } from '../../core/lease.ts';
import { type DirtyMark, type ObjectKey, objectKey } from '../../core/observation.ts';
import type { CommitRecord, TargetState } from '../../ports/state-store.ts';
import { ended, isCommittedBy, isHeldBy, lost, type Next, type Pass, type PassDependencies } from './pass.ts';

/** The time that must be left to start another attempt under the same lease. */
const MINIMUM_ATTEMPT_MS = 2_000;

/**
 * Commits the result of an attempt, unless an event arrived that the attempt has not seen. Then it runs again within
 * the time left, as a new attempt that reads everything again, or at once by a timer.
 * @param afterCommit runs after an accepted commit: wake, edges, measurements.
 */
export async function commitAttempt(
  deps: PassDependencies,
  timings: LeaseTimings,
  pass: Pass,
  record: CommitRecord,
  afterCommit: (committed: CommitRecord) => Promise<Next>,
): Promise<Next> {
  const { store, clock } = deps;
  const seen = seenVersions(pass, record);
  let dirtySeen: readonly string[] | undefined;
  for (;;) {
    if (await store.commit(pass.hold, record, dirtySeen)) return await afterCommit(record);
    const found = await store.readTarget(pass.target);
    // A refused write may repeat our own successful write.
    if (isCommittedBy(pass, found)) return await afterCommit(record);
    if (found === undefined || !isHeldBy(pass, found)) return ended(lost(deps, pass));
    if (marksAreCovered(found.dirty, pass.incarnation, seen)) {
      dirtySeen = found.dirty;
      continue;
    }
    if (pass.startedMonotonicMs + timings.passLimitMs - clock.monotonic() >= MINIMUM_ATTEMPT_MS)
      return await startAgain(deps, pass, record, found.dirty);
    const nowMs = clock.now();
    const late: CommitRecord = { ...record, dueAtMs: nowMs, dueSetAtMs: nowMs, wakeSent: true };
    if (await store.commitOverDirty(pass.hold, late)) return await afterCommit(late);
    if (isCommittedBy(pass, await store.readTarget(pass.target))) return await afterCommit(late);
    return ended(lost(deps, pass));
  }
}

/**
 * @param before the result of the attempt before. Its edges exist, so the next attempt need not write them, and may
 * have to remove them; its writes need not be sent again, and its conditions are known to belong to the controller.
 * @param marks the pending marks that require another attempt.
 */
export async function startAgain(
  deps: PassDependencies,
  pass: Pass,
  before: Pick<TargetState, 'edges' | 'rememberedWrites' | 'conditionOwners'>,
  marks: readonly DirtyMark[],
): Promise<Next> {
  const renewed = await deps.store.renewAttempt(pass.hold, deps.entropy.id());
  if (renewed === undefined) return ended(lost(deps, pass));
  pass.marks.push(...marks);
  // A mark may have corrected the recorded address.
  pass.target = renewed.target;
  pass.hold = { ...pass.hold, target: renewed.target };
  const { rememberedWrites = [], conditionOwners = renewed.conditionOwners } = before;
  const edges = [...new Set([...renewed.edges, ...before.edges])];
  const state = { ...renewed, edges, rememberedWrites, ...(conditionOwners !== undefined && { conditionOwners }) };
  return { type: 'again', state };
}

/** Everything that the pass recorded, including the target itself. Pending marks are compared with this. */
function seenVersions(pass: Pass, record: CommitRecord): Record<ObjectKey, number> {
  const self = objectKey(pass.target.kind, pass.target);
  return record.observedVersion === undefined
    ? { ...record.versions }
    : { ...record.versions, [self]: record.observedVersion };
}
