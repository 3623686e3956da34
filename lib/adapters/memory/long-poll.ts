import type { Clock } from '../../ports/clock.ts';

/** A text, because nobody sees it and an error would cost a stack trace. */
const WOKEN = 'woken';

/** Lets receivers wait for messages. */
export class Arrivals {
  readonly #waiting = new Set<() => void>();

  announce(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /**
   * Calls `wake` once, at the next announcement.
   * @returns a function that cancels this.
   */
  onNext(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }
}

export interface LongPoll<Message> {
  readonly clock: Clock;
  readonly arrivals: Arrivals;
  readonly take: () => Message[];
  /** Monotonic ms at which the next message becomes visible by itself; undefined when none will. */
  readonly nextVisibleAtMs: () => number | undefined;
}

/**
 * Receives messages, and waits up to `waitSeconds` for the first one. Rejects with the signal's reason when it aborts.
 */
export async function longPoll<Message>(
  { clock, arrivals, take, nextVisibleAtMs }: LongPoll<Message>,
  waitSeconds: number,
  signal?: AbortSignal,
): Promise<Message[]> {
  const untilMs = clock.monotonic() + waitSeconds * 1_000;
  for (;;) {
    signal?.throwIfAborted();
    const messages = take();
    const leftMs = untilMs - clock.monotonic();
    if (messages.length > 0 || leftMs <= 0) return messages;
    const visibleInMs = Math.max(1, (nextVisibleAtMs() ?? Number.POSITIVE_INFINITY) - clock.monotonic());
    const woken = new AbortController();
    const wake = () => woken.abort(WOKEN);
    const cancel = arrivals.onNext(wake);
    signal?.addEventListener('abort', wake, { once: true });
    await clock.sleep(Math.min(leftMs, visibleInMs), woken.signal).catch(() => {});
    cancel();
    signal?.removeEventListener('abort', wake);
  }
}
