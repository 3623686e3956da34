import { deadlineLengthMs, type SetDeadline } from '../core/deadline.ts';
import type { SeenVersion } from '../core/event.ts';
import type { Target } from '../core/target.ts';
import type { FanoutKey } from '../ports/fanout-store.ts';
import { type DelayQueue, MAX_DELAY_SECONDS } from '../ports/queue.ts';
import type { PollKey } from '../ports/state-store.ts';

/** Where a round goes on, and what it tells: the fields of the same names of its event. */
export interface FanoutRest {
  readonly incarnation: number;
  readonly round: number;
  readonly place: string;
  readonly seen: SeenVersion;
}

/** A delayed message: whose deadline, and which one. */
export type WakeMessage =
  | { readonly type: 'target'; readonly target: Target; readonly dueAtMs: number }
  | { readonly type: 'poll'; readonly poll: PollKey; readonly dueAtMs: number }
  /** A round that was put off, or the rest of one. A release that does not know it drops it: resync finds what was pending. */
  | {
      readonly type: 'fanout';
      readonly fanout: FanoutKey;
      readonly bulk?: boolean | undefined;
      /** Which readers are left of a round that has begun. Absent for a round that has not. */
      readonly rest?: FanoutRest | undefined;
      readonly dueAtMs: number;
      /** When it was put off: one from a wrong clock has come with its message. */
      readonly setAtMs: number;
    };

/**
 * Sends the message so that it arrives no earlier than its deadline, or after the longest delay the queue takes. It is never
 * delayed by more than the deadline's length: a deadline that lies further ahead was set by another clock.
 */
export async function sendWake(
  wakes: Pick<DelayQueue, 'sendDelayed'>,
  message: WakeMessage,
  deadline: SetDeadline,
  nowMs: number,
): Promise<void> {
  const delayMs = Math.min(deadline.dueAtMs - nowMs, deadlineLengthMs(deadline) ?? Number.POSITIVE_INFINITY);
  const delaySeconds = Math.min(Math.max(0, Math.ceil(delayMs / 1_000)), MAX_DELAY_SECONDS);
  await wakes.sendDelayed({ body: JSON.stringify({ v: 1, ...message }), delaySeconds });
}
