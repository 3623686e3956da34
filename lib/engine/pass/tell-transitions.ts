import type { Pass, PassDependencies } from './pass.ts';

/**
 * Far more than an Event needs. When an API server does not accept Events, a message is delayed by at most this time.
 */
const LIMIT_MS = 5_000;
/** Created once: an AbortController without a reason creates an error with a stack trace each time. */
const TOLD = new Error('the Events are sent');

/**
 * Sends the transitions of a committed pass as Kubernetes Events. It runs after the commit, because no Event is worth a
 * retry, and within the pass's own time limit. An Event that cannot be written is logged and dropped. When the process
 * ends, its unsent Events are lost. All requests are awaited, because a frozen function would otherwise send them after
 * it continues.
 */
export async function tellTransitions(deps: PassDependencies, pass: Pass, passLimitMs: number): Promise<void> {
  const { events, clock, logger } = deps;
  if (pass.transitions.length === 0) return;
  const limit = new AbortController();
  const told = new AbortController();
  const leftMs = Math.min(LIMIT_MS, Math.max(0, pass.startedMonotonicMs + passLimitMs - clock.monotonic()));
  const timeout = clock.sleep(leftMs, told.signal).then(
    () => limit.abort(new Error('no time is left for Kubernetes Events')),
    () => undefined,
  );
  for (const transition of pass.transitions) {
    try {
      limit.signal.throwIfAborted();
      if (await events.tell(pass.api, transition, limit.signal)) pass.writes += 1;
    } catch (error) {
      const { kind, namespace, name } = pass.target;
      const { reason } = transition.note;
      logger.error('a Kubernetes Event could not be written', error, { kind, namespace, name, reason });
    }
  }
  told.abort(TOLD);
  await timeout;
}
