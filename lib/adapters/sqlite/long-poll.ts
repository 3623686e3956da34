import type { Clock } from '../../ports/clock.ts';
import type { Arrivals } from './arrivals.ts';

export interface LongPoll<Message> {
  /** The name of the queue. */
  readonly queue: string;
  readonly clock: Clock;
  readonly arrivals: Arrivals;
  readonly take: () => Promise<Message[]>;
  /** Epoch ms at which the next message becomes visible by itself; undefined when none will. */
  readonly nextVisibleAtMs: () => Promise<number | undefined>;
}

/**
 * How often a receiver checks for messages that became visible because the wall clock was set forward: no announcement
 * wakes it for these.
 */
const LONGEST_WAIT_MS = 1_000;

/**
 * Receives messages, and waits up to `waitSeconds` for the first one. Rejects with the signal's reason when it aborts.
 */
export async function longPoll<Message>(
  { queue, clock, arrivals, take, nextVisibleAtMs }: LongPoll<Message>,
  waitSeconds: number,
  signal?: AbortSignal,
): Promise<Message[]> {
  const untilMs = clock.monotonic() + waitSeconds * 1_000;
  for (;;) {
    signal?.throwIfAborted();
    const seen = arrivals.announced(queue);
    const messages = await take();
    const leftMs = untilMs - clock.monotonic();
    if (messages.length > 0 || leftMs <= 0) return messages;
    const nextMs = (await nextVisibleAtMs()) ?? Number.POSITIVE_INFINITY;
    const visibleInMs = Math.max(1, nextMs - clock.now());
    await arrivals.wait(queue, seen, clock, Math.min(leftMs, visibleInMs, LONGEST_WAIT_MS), signal);
  }
}
