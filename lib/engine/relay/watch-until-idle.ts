import { EvenkeelError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { WatchEvent } from '../../ports/cluster-api.ts';
import { LinkedAbort } from '../linked-abort.ts';

/** The watch sent nothing, not even a bookmark, for longer than a working watch does. */
export class IdleWatchError extends EvenkeelError {
  constructor(idleMs: number) {
    super('WATCH_IDLE', `a watch showed nothing for ${idleMs} ms: the connection is closed as dead`);
  }
}

/**
 * A watch that ends when its signal aborts or nothing comes for `idleMs`, even if no byte ever came, and even if the
 * connection ignores its own abort. The time that the consumer takes does not count.
 * @throws IdleWatchError, the error of the watch, or the signal's reason.
 */
export async function* watchUntilIdle(
  open: (signal: AbortSignal) => AsyncIterable<WatchEvent>,
  { idleMs, clock, signal }: { idleMs: number; clock: Clock; signal: AbortSignal },
): AsyncGenerator<WatchEvent> {
  using connection = new LinkedAbort(signal);
  const events = open(connection.signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await nextWithin(events, idleMs, clock, signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    connection.abort(new EvenkeelError('WATCH_ENDED', 'the relay ended this watch'));
    events.return?.().catch(() => {});
  }
}

async function nextWithin(
  events: AsyncIterator<WatchEvent>,
  idleMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<IteratorResult<WatchEvent>> {
  using timer = new LinkedAbort(signal);
  const idle = clock.sleep(idleMs, timer.signal).then(() => {
    throw new IdleWatchError(idleMs);
  });
  try {
    return await Promise.race([events.next(), idle]);
  } finally {
    timer.abort();
  }
}
