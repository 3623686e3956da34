import { isLeaseExpired, type LeaseTerms } from '../../core/lease.ts';
import type { TargetState } from '../../ports/state-store.ts';

/**
 * Whether a list shows a version that the last pass did not see. The list was read before the item, so a pass may have seen
 * more than the list shows. A pass cannot have seen a version that is later than the object and yet within the list, unless
 * versions went back. In that case no other sign showed the restore.
 * @param recorded by the last pass.
 * @param listed undefined when it is no number: then nothing can be decided.
 * @param listVersion at which the list was read.
 */
export function isUnseen(recorded: number, listed: number | undefined, listVersion: number | undefined): boolean {
  if (listed === undefined) return false;
  return recorded < listed || (recorded > listed && listVersion !== undefined && recorded <= listVersion);
}

/** A timer this close brings a pass that reads everything anyway ... */
const SOON_MS = 60_000;
/** ... unless it has been overdue for so long that the part that serves timers must be broken. */
const STALLED_MS = 300_000;

/** A pass runs, or a timer brings one soon. Its reads follow the list, so the comparison would find nothing. */
export function isAboutToRun({ lease, dueAtMs }: TargetState, nowMs: number, terms: LeaseTerms): boolean {
  if (lease !== undefined && !isLeaseExpired(lease.untilMs, nowMs, terms)) return true;
  return dueAtMs !== undefined && dueAtMs <= nowMs + SOON_MS && dueAtMs > nowMs - STALLED_MS;
}
