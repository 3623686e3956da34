/*
 * The relay as functions that relieve each other. Shifts end at fixed times of the clock, for every invocation, so
 * that of the invocations that come each minute the last before such a time can tell that it is the relief:
 *
 *   end of a shift                                    end of the next
 *        |                                                  |
 *   -----|<------------------- SHIFT_MS ------------------->|-----
 *                                          |<-- RELIEF_MS ->|
 *     each minute: the lease is held,         stands by, has the lease within a second of the end,
 *     so there is nothing to do               and goes on from the checkpoint until the end after that
 *
 * A holder that died does not renew its lease. An invocation that sees no renewal for the length of the lease takes it, and works until the
 * shift's end. Each invocation remembers what the one before it in the same sandbox saw, so most of them know at once.
 */

/** A shift and the waiting before it must fit into the 15 minutes that Lambda gives an invocation. */
export const SHIFT_MS = 12 * 60_000;

/** Longer than the minute between two invocations: there is always one that comes within it. */
export const RELIEF_MS = 90_000;

/** What an invocation does about a cluster. */
export type Shift =
  /** Takes the lease as soon as it is free, at `freeAtMs`, and works until `endsAtMs`. */
  | { readonly type: 'relief'; readonly freeAtMs: number; readonly endsAtMs: number }
  /** Takes the lease if nobody renews it, and works until `endsAtMs`. */
  | { readonly type: 'spare'; readonly endsAtMs: number };

export function shiftAt(nowMs: number): Shift {
  const endsAtMs = (Math.floor(nowMs / SHIFT_MS) + 1) * SHIFT_MS;
  if (endsAtMs - nowMs > RELIEF_MS) return { type: 'spare', endsAtMs };
  return { type: 'relief', freeAtMs: endsAtMs, endsAtMs: endsAtMs + SHIFT_MS };
}

/** From a lease being over until it is sure that somebody else took it. */
const TAKEN_BY_OTHERS_MS = 10_000;

/** What a shift means for the relay of a cluster. */
export interface RelayDuty {
  /** Lets a cluster be as soon as somebody renews its lease. */
  readonly onlyFree: boolean;
  /** Epoch ms until which it waits for a lease that others hold. */
  readonly standsByUntilMs: number;
  readonly endsAtMs: number;
}

/** @param leaseMs the relay's lease: one that is not given back ends this long after its holder died. */
export function dutyOf(shift: Shift, nowMs: number, leaseMs: number): RelayDuty {
  const freeAtMs = shift.type === 'relief' ? shift.freeAtMs : nowMs;
  return {
    onlyFree: shift.type === 'spare',
    standsByUntilMs: freeAtMs + leaseMs + TAKEN_BY_OTHERS_MS,
    endsAtMs: shift.endsAtMs,
  };
}

/** That of a process which runs until it is told to end: any number of them may stand by. */
export const STANDING_DUTY: RelayDuty = {
  onlyFree: false,
  standsByUntilMs: Number.POSITIVE_INFINITY,
  endsAtMs: Number.POSITIVE_INFINITY,
};
