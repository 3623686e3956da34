import { EvenkeelError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { LinkedAbort } from '../linked-abort.ts';

/**
 * Runs a call with its own time limit, inside that of `outer`. A call that ignores its signal continues, but is not
 * waited for after the limit.
 * @throws EvenkeelError TIMED_OUT; the reason of `outer` when that aborts first; every error that the call throws.
 */
export async function withinLimit<Result>(
  clock: Pick<Clock, 'sleep'>,
  outer: AbortSignal,
  limitMs: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  outer.throwIfAborted();
  using inner = new LinkedAbort(outer);
  using waiting = new LinkedAbort(outer);
  const timedOut = new EvenkeelError('TIMED_OUT', `no answer within ${limitMs} ms`);
  const over = clock.sleep(limitMs, waiting.signal).then(() => {
    inner.abort(timedOut);
    throw timedOut;
  });
  // A call that throws at once must reject, because the timer has to end in that case too.
  const called = (async () => await call(inner.signal))();
  // Only the first of the two is awaited.
  over.catch(() => {});
  called.catch(() => {});
  try {
    return await Promise.race([called, over]);
  } finally {
    waiting.abort();
  }
}
