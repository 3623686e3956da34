import { changedObjectOf } from '../../core/event.ts';
import { type EdgeKey, listKey, objectKey } from '../../core/observation.ts';
import type { CommitRecord, TargetState } from '../../ports/state-store.ts';
import type { AttemptResult } from './attempt.ts';
import type { Decision } from './decide.ts';
import { mainConditionText } from './main-condition.ts';
import { isHashed } from './named-event.ts';
import { type Ended, type Pass, type PassDependencies, passDimensions } from './pass.ts';
import { wakeTarget } from './wake-target.ts';

/** The work that remains after a commit. */
export interface Leftover {
  readonly result: Extract<AttemptResult, { type: 'ran' }>;
  readonly decision: Decision;
  readonly edgesInUse: readonly EdgeKey[];
}

/** Sends the wake, removes edges that are not used any more, and measures. */
export async function afterCommit(
  deps: PassDependencies,
  pass: Pass,
  state: TargetState,
  committed: CommitRecord,
  { result, decision, edgesInUse }: Leftover,
): Promise<Ended> {
  const { dueAtMs, dueSetAtMs, failures, lastOutcome } = committed;
  // A commit over marks is due at once, whatever was decided.
  const isDueAtOnce = dueAtMs !== undefined && dueSetAtMs !== undefined && dueAtMs <= dueSetAtMs;
  if (dueAtMs !== undefined && dueSetAtMs !== undefined && (decision.sendsWake || isDueAtOnce))
    await wakeTarget(deps, pass, { dueAtMs, dueSetAtMs });
  await cleanEdges(deps, pass, state, edgesInUse);
  measure(deps, pass, result, decision);
  const { type, reason, message } = lastOutcome;
  const condition = mainConditionText(result.object);
  return {
    end: 'committed',
    outcome: type,
    reason,
    message,
    dueAtMs,
    failures,
    ...(condition !== undefined && { condition }),
  };
}

function measure(
  { metrics }: PassDependencies,
  pass: Pass,
  { turned }: Leftover['result'],
  { keepsUnread: isFailed, isConflict, lastOutcome }: Decision,
): void {
  const dimensions = passDimensions(pass);
  if (isFailed) metrics.record('Retry', 1, { ...dimensions, Reason: lastOutcome.reason });
  if (isConflict) metrics.record('Conflict', 1, dimensions);
  if (turned !== undefined) metrics.record('ConditionTransition', 1, { ...dimensions, Reason: turned.reason });
}

/**
 * Removes the edges that are not used any more. When an event about an object started a pass that neither read nor
 * listed this object, a crash left an edge behind; that edge is removed too. If the event names the object only by a
 * hash, its edge cannot be found: it stays, and costs a needless pass at each change of that object.
 */
export async function cleanEdges(
  { store }: PassDependencies,
  pass: Pass,
  state: Pick<TargetState, 'edges'>,
  used: readonly EdgeKey[],
): Promise<void> {
  const keep = new Set(used);
  const stale = new Set(state.edges.filter((key) => !keep.has(key)));
  const changed = changedObjectOf(pass.event);
  if (changed !== undefined && !isHashed(changed)) {
    const { kind, namespace } = changed;
    const reasons = [objectKey(kind, changed), listKey(kind, namespace), listKey(kind, '')];
    if (!reasons.some((key) => keep.has(key))) for (const key of reasons) stale.add(key);
  }
  const edge = { cluster: pass.target.cluster, reader: pass.target, epoch: pass.hold.epoch };
  await Promise.all([...stale].map((key) => store.deleteEdge({ ...edge, key })));
}
