import { deadlineLengthMs, type SetDeadline } from '../core/deadline.ts';
import { type DelayQueue, MAX_DELAY_SECONDS } from '../ports/queue.ts';
import { encodeWake, type WakeMessage } from './messages/wake-message.ts';

/**
 * Sends the message so that it arrives no earlier than its timer is due, or after the longest delay that the queue
 * accepts. The delay is never longer than the length of the timer: a timer further ahead was set by another clock
 * (R-1.29).
 */
export async function sendWake(
  wakes: Pick<DelayQueue, 'sendDelayed'>,
  message: WakeMessage,
  deadline: SetDeadline,
  nowMs: number,
): Promise<void> {
  const delayMs = Math.min(deadline.dueAtMs - nowMs, deadlineLengthMs(deadline) ?? Number.POSITIVE_INFINITY);
  const delaySeconds = Math.min(Math.max(0, Math.ceil(delayMs / 1_000)), MAX_DELAY_SECONDS);
  await wakes.sendDelayed({ body: encodeWake(message), delaySeconds });
}
