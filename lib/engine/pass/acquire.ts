import { coverOf, isCovered } from '../../core/cover.ts';
import { InfrastructureError } from '../../core/errors.ts';
import { isOwnEvent, type SkinnyEvent } from '../../core/event.ts';
import { isLeaseExpired, type LeaseTimings, latestLeaseEndMs } from '../../core/lease.ts';
import type { Target } from '../../core/target.ts';
import type { TargetState } from '../../ports/state-store.ts';
import { leavePendingMark } from './leave-pending-mark.ts';
import type { Ended, PassDependencies } from './pass.ts';

/** How often acquire is repeated when the item changes between a refusal and the next request. */
const MAX_ACQUIRES = 8;

export type Acquired =
  | { readonly type: 'acquired'; readonly state: TargetState }
  /** At the recorded address, if there is an item. */
  | { readonly type: 'ended'; readonly ended: Ended; readonly target: Target };

/**
 * Takes the lease. When it is refused, the item that refused it shows the reason, checked in this order: forgotten,
 * ours after an unknown answer, already observed, held. If none is true, the lease has expired since, so it is
 * requested again. The item is older than this check, which loses nothing: an event that is already observed stays so,
 * and a mark is accepted only by the same lease.
 * @param startedMonotonicMs when the pass started: its lease counts from then, however long this takes.
 * @throws InfrastructureError when that takes as long as the lease: the message is delivered again, and may have been
 * already.
 */
export async function acquireLease(
  deps: Pick<PassDependencies, 'store' | 'owner' | 'entropy' | 'clock'>,
  timings: LeaseTimings,
  event: SkinnyEvent,
  target: Target,
  startedMonotonicMs: number,
): Promise<Acquired> {
  const { store, owner, entropy, clock } = deps;
  const cover = coverOf(event);
  const ownAddress = isOwnEvent(event);
  let forgottenEpoch: number | undefined;
  let expiredEpoch: number | undefined;
  for (let round = 0; round < MAX_ACQUIRES; round += 1) {
    const attempt = entropy.id();
    const leftMs = timings.leaseMs - (clock.monotonic() - startedMonotonicMs);
    if (leftMs <= 0)
      throw new InfrastructureError(
        `the lease of ${describe(target)} was not taken within its ${timings.leaseMs} ms: the message is delivered again`,
      );
    const nowMs = clock.now();
    const acquired = await store.acquire({
      target,
      ownAddress,
      owner,
      attempt,
      nowMs,
      leaseUntilMs: nowMs + Math.floor(leftMs),
      latestUntilMs: latestLeaseEndMs(timings, nowMs),
      ...(cover !== undefined && { cover }),
      ...(forgottenEpoch !== undefined && { forgottenEpoch }),
      ...(expiredEpoch !== undefined && { expiredEpoch }),
    });
    if (acquired.type === 'acquired') return acquired;
    const refusedBy = acquired.found;
    forgottenEpoch = refusedBy.type === 'forgotten' ? refusedBy.epoch : undefined;
    // The timers of the target were removed with its item. Any other event may have left edges, or may report a
    // restored object.
    if (refusedBy.type === 'forgotten' && cover?.type === 'due') return covered(target);
    if (refusedBy.type !== 'known') continue;
    const found = refusedBy.state;
    if (found.lease?.owner === owner && found.lease.attempt === attempt) return { type: 'acquired', state: found };
    if (isCovered(cover, found)) return covered(found.target);
    const foundAtMs = clock.now();
    if (found.lease === undefined || isLeaseExpired(found.lease.untilMs, foundAtMs, timings)) {
      expiredEpoch = found.epoch;
      continue;
    }
    const holding = { ...found, lease: found.lease };
    const dueAtMs = await leavePendingMark(store, event, target, holding, timings.graceMs, foundAtMs);
    if (dueAtMs !== undefined)
      return { type: 'ended', ended: { end: 'held', dueAtMs }, target: ownAddress ? target : found.target };
  }
  throw new InfrastructureError(
    `the lease of ${describe(target)} changed ${MAX_ACQUIRES} times while it was requested`,
  );
}

function covered(target: Target): Acquired {
  return { type: 'ended', ended: { end: 'covered' }, target };
}

function describe({ kind, namespace, name }: Target): string {
  return `${kind} ${namespace}/${name}`;
}
