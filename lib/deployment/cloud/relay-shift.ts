/*
 * The relay in Lambda functions that take turns. An invocation starts each minute. Shifts end at fixed times of the
 * clock, the same for every invocation. So an invocation that starts shortly before such a time knows that it is the relief:
 *
 *   end of a shift                                    end of the next
 *        |                                                  |
 *   -----|<------------------- SHIFT_MS ------------------->|-----
 *                                          |<-- RELIEF_MS ->|
 *     each minute: another invocation has     stands by, has the hold within a second of the end,
 *     the hold, so there is nothing to do     and continues from the checkpoint until the end after that
 *
 * A holder that died does not renew its hold. An invocation that sees no renewal for the length of the hold takes it, and
 * works until the end of the shift. Each invocation remembers what earlier ones in the same sandbox saw, so most of them
 * know at once whether the hold was renewed.
 */

/** A shift and the wait before it must fit into the 15 minutes of a Lambda invocation. */
export const SHIFT_MS = 12 * 60_000;

/** Longer than the minute between two invocations, so that at least one of them starts in this time. */
export const RELIEF_MS = 90_000;

/** What an invocation does with a cluster. */
export type Shift =
  /** Waits until the hold is free, at `freeAtMs`, takes it, and works until `endsAtMs`. */
  | { readonly type: 'relief'; readonly freeAtMs: number; readonly endsAtMs: number }
  /** Takes the hold if nobody renews it, and works until `endsAtMs`. */
  | { readonly type: 'spare'; readonly endsAtMs: number };

export function shiftAt(nowMs: number): Shift {
  const endsAtMs = (Math.floor(nowMs / SHIFT_MS) + 1) * SHIFT_MS;
  if (endsAtMs - nowMs > RELIEF_MS) return { type: 'spare', endsAtMs };
  return { type: 'relief', freeAtMs: endsAtMs, endsAtMs: endsAtMs + SHIFT_MS };
}

/** This long after a hold has expired, another invocation has certainly taken it. */
const TAKEN_BY_OTHERS_MS = 10_000;

/** The rules for the relay of a cluster during a shift. */
export interface RelayDuty {
  /** Leaves a cluster as soon as another relay renews its hold. */
  readonly onlyFree: boolean;
  /** Waits until this time, in epoch ms, for a hold that another relay has. */
  readonly standsByUntilMs: number;
  readonly endsAtMs: number;
}

/**
 * @param leaseMs the length of the relay's hold. A hold that is not given back expires this long after its holder died.
 */
export function dutyOf(shift: Shift, nowMs: number, leaseMs: number): RelayDuty {
  const freeAtMs = shift.type === 'relief' ? shift.freeAtMs : nowMs;
  return {
    onlyFree: shift.type === 'spare',
    standsByUntilMs: freeAtMs + leaseMs + TAKEN_BY_OTHERS_MS,
    endsAtMs: shift.endsAtMs,
  };
}

/** The duty of a process that runs until it is stopped. Any number of them may stand by. */
export const STANDING_DUTY: RelayDuty = {
  onlyFree: false,
  standsByUntilMs: Number.POSITIVE_INFINITY,
  endsAtMs: Number.POSITIVE_INFINITY,
};
