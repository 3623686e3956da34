import { markOf } from '../../core/cover.ts';
import { isOwnEvent, type SkinnyEvent } from '../../core/event.ts';
import { ANY_MARK } from '../../core/observation.ts';
import type { Target } from '../../core/target.ts';
import type { LeaseHold, StateStore, TargetState } from '../../ports/state-store.ts';

/** Beyond this number, one mark represents all others, because the item must not grow without limit. */
const MAX_MARKS = 64;

/** The item of an object while a pass holds its lease. */
export type HoldingState = TargetState & { readonly lease: NonNullable<TargetState['lease']> };

/**
 * Records in the item an event that arrived during a pass: a pending mark, and a timer after the end of the lease. The
 * pass cannot commit over a mark that it did not see. If the pass dies, the timer starts the next one.
 * @param target the object at the address that the event names.
 * @param graceMs how long after the end of the lease the timer is due.
 * @param foundAtMs when the item was read, epoch milliseconds.
 * @returns the time of the timer in epoch milliseconds; undefined when the item now has another lease or none. Then the
 * event is not recorded anywhere, and its message must not be acknowledged.
 */
export async function leavePendingMark(
  store: Pick<StateStore, 'markHeld'>,
  event: SkinnyEvent,
  target: Target,
  found: HoldingState,
  graceMs: number,
  foundAtMs: number,
): Promise<number | undefined> {
  // Replaces any existing timer: the sweep may be moving that one, and the mark would be late.
  const dueAtMs = found.lease.untilMs + graceMs;
  const holder: LeaseHold = { target, owner: found.lease.owner, epoch: found.epoch };
  const mark = found.dirty.length >= MAX_MARKS ? ANY_MARK : markOf(event);
  const isMarked = await store.markHeld(holder, mark, dueAtMs, foundAtMs, isOwnEvent(event) ? target : undefined);
  return isMarked ? dueAtMs : undefined;
}
