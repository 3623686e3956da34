import { isLeaseExpired, type LeaseTerms } from '../../core/lease.ts';
import type { TargetState } from '../../ports/state-store.ts';

/**
 * Whether a list shows a version that the last pass did not see. The list was read before the item, so a pass may have
 * seen more than the list shows; but not something later than the object and yet within the list, unless versions went
 * back: then a restore escaped every other sign.
 *
 * @param recorded by the last pass.
 * @param listed undefined when it is no number: then nothing can be told.
 * @param listVersion at which the list was read.
 */
export function isUnseen(recorded: number, listed: number | undefined, listVersion: number | undefined): boolean {
  if (listed === undefined) return false;
  return recorded < listed || (recorded > listed && listVersion !== undefined && recorded <= listVersion);
}

/** A deadline this close brings a pass that reads everything anyway ... */
const SOON_MS = 60_000;
/** ... unless it has been overdue for so long that whatever serves deadlines must be broken. */
const STALLED_MS = 300_000;

/** A pass is under way, or a deadline brings one soon: its reads follow the list, so there is nothing to find. */
export function isAboutToRun({ lease, dueAtMs }: TargetState, nowMs: number, terms: LeaseTerms): boolean {
  if (lease !== undefined && !isLeaseExpired(lease.untilMs, nowMs, terms)) return true;
  return dueAtMs !== undefined && dueAtMs <= nowMs + SOON_MS && dueAtMs > nowMs - STALLED_MS;
}
