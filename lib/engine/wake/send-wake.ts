import type { Target } from '../../core/target.ts';
import type { FanoutKey } from '../../ports/fanout-store.ts';
import { type DelayQueue, MAX_DELAY_SECONDS } from '../../ports/queue.ts';
import type { PollKey } from '../../ports/state-store.ts';

/** A delayed message: whose deadline, and which one. */
export type WakeMessage =
  | { readonly type: 'target'; readonly target: Target; readonly dueAtMs: number }
  | { readonly type: 'poll'; readonly poll: PollKey; readonly dueAtMs: number }
  /** A round that was put off. A release that does not know it drops it: resync finds what was pending. */
  | { readonly type: 'fanout'; readonly fanout: FanoutKey; readonly bulk?: boolean; readonly dueAtMs: number };

/** Sends the message so that it arrives no earlier than its deadline, or after the longest delay the queue takes. */
export async function sendWake(
  wakes: Pick<DelayQueue, 'sendDelayed'>,
  message: WakeMessage,
  nowMs: number,
): Promise<void> {
  const delaySeconds = Math.min(Math.max(0, Math.ceil((message.dueAtMs - nowMs) / 1_000)), MAX_DELAY_SECONDS);
  await wakes.sendDelayed({ body: JSON.stringify({ v: 1, ...message }), delaySeconds });
}
